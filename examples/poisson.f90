! A whole operator from Fortran: the stiffness of two hexes, on a GPU or the host, whose memory wisp lends.
!
!     gfortran poisson.f90 $(pkg-config --libs wisp) -o poisson && ./poisson
!
module wisp
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(c) :: wisp_error
    integer(c_int) :: status = 0
    character(kind=c_char) :: text(1024) = c_null_char
  end type
  type, bind(c) :: wisp_session_request
    integer(c_size_t) :: size = 0
    type(c_ptr) :: device = c_null_ptr, context = c_null_ptr, stream = c_null_ptr
    type(c_ptr) :: store = c_null_ptr, command = c_null_ptr
    integer(c_int) :: exact_match_only = 0, defaults_only = 0
  end type
  type, bind(c) :: wisp_operator_request
    integer(c_size_t) :: size = 0
    type(c_ptr) :: spec
    integer(c_size_t) :: vertices, elements
    type(c_ptr) :: xyz, corners
    real(c_double) :: lambda = 0
    integer(c_int) :: assembled = 1
  end type
  interface
    integer(c_int) function wisp_session_open(err, request, session) bind(c)
      import; type(wisp_error) :: err; type(wisp_session_request) :: request; type(c_ptr) :: session
    end function
    subroutine wisp_session_close(session) bind(c)
      import; type(c_ptr), value :: session
    end subroutine
    integer(c_int) function wisp_memory_create(err, session, bytes, memory) bind(c)
      import; type(wisp_error) :: err; type(c_ptr), value :: session; integer(c_size_t), value :: bytes; type(c_ptr) :: memory
    end function
    integer(c_int) function wisp_memory_put(err, session, to, from, bytes) bind(c)
      import; type(wisp_error) :: err; type(c_ptr), value :: session, to, from; integer(c_size_t), value :: bytes
    end function
    integer(c_int) function wisp_memory_get(err, session, to, from, bytes) bind(c)
      import; type(wisp_error) :: err; type(c_ptr), value :: session, to, from; integer(c_size_t), value :: bytes
    end function
    integer(c_int) function wisp_operator_create(err, session, request, op) bind(c)
      import; type(wisp_error) :: err; type(c_ptr), value :: session; type(wisp_operator_request) :: request; type(c_ptr) :: op
    end function
    integer(c_int) function wisp_operator_size(err, op, numbers) bind(c)
      import; type(wisp_error) :: err; type(c_ptr), value :: op; integer(c_size_t) :: numbers
    end function
    integer(c_int) function wisp_operator_nodes(err, op, xyz) bind(c)
      import; type(wisp_error) :: err; type(c_ptr), value :: op; real(c_double) :: xyz(3, *)
    end function
    integer(c_int) function wisp_operator_apply(err, op, x, y, stream) bind(c)
      import; type(wisp_error) :: err; type(c_ptr), value :: op, x, y, stream
    end function
  end interface
end module

program poisson
  use wisp
  implicit none
  integer(c_int), target :: corners(8, 2) = reshape([0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11], [8, 2])
  real(c_double), target :: xyz(3, 12)
  character(kind=c_char, len=40), target :: spec = 'tensor.collocated:hex:p7:poisson:f64'//c_null_char, device
  type(wisp_error) :: err
  type(wisp_session_request) :: at
  type(wisp_operator_request) :: request
  type(c_ptr) :: session, op, on_u, on_y
  integer(c_size_t) :: n, bytes
  real(c_double), allocatable, target :: nodes(:, :), u(:), y(:)
  integer :: v

  call get_command_argument(1, device)
  if (device == ' ') device = 'auto'
  device = trim(device)//c_null_char
  at%size = c_sizeof(at)
  at%device = c_loc(device)
  call check(wisp_session_open(err, at, session))
  do v = 0, 11 ! of the box 1 x 1 x 2, sheared: x = X + Y/2
    xyz(:, v + 1) = [mod(v, 2) + mod(v/2, 2)/2d0, 1d0*mod(v/2, 2), 1d0*(v/4)]
  end do
  request%size = c_sizeof(request)
  request%spec = c_loc(spec)
  request%vertices = 12
  request%elements = 2
  request%xyz = c_loc(xyz)
  request%corners = c_loc(corners)
  call check(wisp_operator_create(err, session, request, op))
  call check(wisp_operator_size(err, op, n))
  allocate (nodes(3, n), u(n), y(n))
  call check(wisp_operator_nodes(err, op, nodes))

  u = 3*nodes(1, :) - nodes(2, :) ! y = A u: u.y = |grad u|^2 volume = 20, and 1.y = 0
  bytes = 8*n
  call check(wisp_memory_create(err, session, bytes, on_u))
  call check(wisp_memory_create(err, session, bytes, on_y))
  call check(wisp_memory_put(err, session, on_u, c_loc(u), bytes))
  call check(wisp_operator_apply(err, op, on_u, on_y, c_null_ptr))
  call check(wisp_memory_get(err, session, c_loc(y), on_y, bytes))
  print '(a, f0.12, a, es7.0)', 'energy ', dot_product(u, y), ', of constants ', sum(y)
  call wisp_session_close(session)
  if (abs(dot_product(u, y) - 20) > 1d-11 .or. abs(sum(y)) > 1d-11) error stop 'wrong'
contains
  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == 0) return
    print *, err%text
    error stop 1
  end subroutine
end program
