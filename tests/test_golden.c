/* Claim: the operators of orders 1 to 6 agree to 1e-11 with those of an independent code (tests/golden), number for
 * number: nodes, modes, derivatives, lift, and which nodes lie on which face. */
#include "test.h"
#include "../gen/nodal/tet.h"

/* An array of count numbers, in memory order. */
static void check_row(const char *name, int N, const cJSON *row, const double *ours, int count)
{
  assert_int_equal(cJSON_GetArraySize(row), count);
  const cJSON *number = NULL;
  int i = 0;
  cJSON_ArrayForEach(number, row)
  {
    assert_true(cJSON_IsNumber(number));
    double difference = fabs(ours[i] - number->valuedouble);
    if (!(difference <= 1e-11)) fail_msg("N=%d %s[%d]: %.17g, off by %g", N, name, i, ours[i], difference);
    i++;
  }
}

static void check_vector(const cJSON *golden, const char *name, int N, const double *ours, int count)
{
  check_row(name, N, cJSON_GetObjectItemCaseSensitive(golden, name), ours, count);
}

static void check_matrix(const cJSON *golden, const char *name, int N, const double *ours, int rows, int columns)
{
  const cJSON *matrix = cJSON_GetObjectItemCaseSensitive(golden, name), *row = NULL;
  assert_int_equal(cJSON_GetArraySize(matrix), rows);
  int i = 0;
  cJSON_ArrayForEach(row, matrix) check_row(name, N, row, ours + columns * i++, columns);
}

TEST(test_operators)
{
  for (int N = 1; N <= 6; N++) {
    OWNED(cJSON_Delete) cJSON *golden = json_file("tests/golden/tet_N%d.json", N);
    OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
    GOOD(wisp_tet_create(err, N, &tet));
    assert_int_equal(tet->N, N);
    assert_int_equal(tet->Np, cJSON_GetObjectItemCaseSensitive(golden, "Np")->valueint);
    assert_int_equal(tet->Nfp, cJSON_GetObjectItemCaseSensitive(golden, "Nfp")->valueint);
    check_vector(golden, "r", N, tet->r, tet->Np);
    check_vector(golden, "s", N, tet->s, tet->Np);
    check_vector(golden, "t", N, tet->t, tet->Np);
    check_matrix(golden, "V", N, tet->V, tet->Np, tet->Np);
    check_matrix(golden, "Dr", N, tet->D[0], tet->Np, tet->Np);
    check_matrix(golden, "Ds", N, tet->D[1], tet->Np, tet->Np);
    check_matrix(golden, "Dt", N, tet->D[2], tet->Np, tet->Np);
    check_matrix(golden, "LIFT", N, tet->LIFT, tet->Np, 4 * tet->Nfp);
  }
}

TEST(test_face_nodes)
{
  for (int N = 1; N <= 6; N++) {
    OWNED(cJSON_Delete) cJSON *golden = json_file("tests/golden/tet_N%d.json", N);
    OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
    GOOD(wisp_tet_create(err, N, &tet));
    const cJSON *Fmask = cJSON_GetObjectItemCaseSensitive(golden, "Fmask");
    assert_int_equal(cJSON_GetArraySize(Fmask), WISP_TET_FACES);
    for (int f = 0; f < WISP_TET_FACES; f++) {
      const cJSON *face = cJSON_GetArrayItem(Fmask, f);
      assert_int_equal(cJSON_GetArraySize(face), tet->Nfp);
      for (int i = 0; i < tet->Nfp; i++)
        assert_int_equal(tet->Fmask[f * tet->Nfp + i], cJSON_GetArrayItem(face, i)->valueint);
    }
  }
}
