#include "orientations.h"
#include "../nodal/tet_internal.h"

int wisp_simplex_size(int dimension, int N)
{
  return dimension == 2 ? wisp_triangle_size(N) : wisp_tet_size(N);
}

void wisp_simplex_steps(int dimension, int N, int (*step)[4])
{
  for (int k = 0; k <= (dimension == 2 ? 0 : N); k++)
    for (int j = 0; j <= N - k; j++)
      for (int i = 0; i <= N - k - j; i++, step++)
        (*step)[0] = N - i - j - k, (*step)[1] = i, (*step)[2] = j, (*step)[3] = k;
}

static int factorial(int n)
{
  return n < 2 ? 1 : n * factorial(n - 1);
}

int wisp_orientations(int dimension)
{
  return factorial(dimension + 1);
}

/* Digits in the factorials' system choose among the corners that are left. */
static void corners_of(int dimension, int turn, int corner[4])
{
  int left[4] = {0, 1, 2, 3};
  for (int c = 0; c <= dimension; c++) {
    const int weight = factorial(dimension - c), digit = turn / weight;
    turn %= weight;
    corner[c] = left[digit];
    for (int i = digit; i < dimension - c; i++) left[i] = left[i + 1];
  }
}

int wisp_orientation_number(int dimension, const int corner[4])
{
  int turn = 0;
  for (int c = 0; c <= dimension; c++) {
    int digit = 0;
    for (int i = c + 1; i <= dimension; i++) digit += corner[i] < corner[c];
    turn += digit * factorial(dimension - c);
  }
  return turn;
}

void wisp_orientation_nodes(int dimension, int N, int turn, int *node)
{
  int step[WISP_SIMPLEX_MAX_NP][4], corner[4];
  const int Np = wisp_simplex_size(dimension, N);
  wisp_simplex_steps(dimension, N, step);
  corners_of(dimension, turn, corner);
  for (int b = 0; b < Np; b++)
    for (int own = 0; own < Np; own++) {
      bool same = true;
      for (int c = 0; c <= dimension; c++) same &= step[own][corner[c]] == step[b][c];
      if (same) node[b] = own;
    }
}

void wisp_orientation_inside(int dimension, int N, int *node, int first[5])
{
  int step[WISP_SIMPLEX_MAX_NP][4], count = 0;
  const int Np = wisp_simplex_size(dimension, N);
  wisp_simplex_steps(dimension, N, step);
  for (int k = 0; k <= dimension; k++) {
    first[k] = count;
    for (int a = 0; a < Np; a++) {
      bool inside = true;
      for (int c = 0; c <= dimension; c++) inside &= (step[a][c] > 0) == (c <= k);
      if (inside) node[count++] = a;
    }
  }
  first[dimension + 1] = count;
}

int wisp_orientation_slots(int dimension, int N, int k)
{
  return dimension == 3 && ((k == 0 && N >= 3) || (k == 1 && N >= 5)) ? 2 : 4;
}
