#include "host_schedule.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- A module's references. */

/* The parts of its dynamic section. */
typedef struct linkage {
  const Elf64_Sym *symbols;
  const char *names;
  struct {
    const Elf64_Rela *first;
    size_t bytes;
  } tables[2]; /* of functions and of other references */
} linkage;

/* Most loaders have added the base address to the pointers of a dynamic section, others have not. */
static const void *find_part(const struct link_map *map, const Elf64_Dyn *entry)
{
  const Elf64_Addr at = entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr : entry->d_un.d_ptr;
  return (const void *)(uintptr_t)at;
}

static linkage read_linkage(const struct link_map *map)
{
  linkage found = {.symbols = NULL};
  for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB) found.symbols = find_part(map, d);
    if (d->d_tag == DT_STRTAB) found.names = find_part(map, d);
    if (d->d_tag == DT_JMPREL) found.tables[0].first = find_part(map, d);
    if (d->d_tag == DT_PLTRELSZ) found.tables[0].bytes = d->d_un.d_val;
    if (d->d_tag == DT_RELA) found.tables[1].first = find_part(map, d);
    if (d->d_tag == DT_RELASZ) found.tables[1].bytes = d->d_un.d_val;
  }
  return found;
}

/* The linker may have made the page of a reference read-only. */
static bool make_writable(void **slot)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)slot / page * page;
  return mprotect((void *)at, page, PROT_READ | PROT_WRITE) == 0;
}

static void **find_reference(const struct link_map *map, const linkage *in, const char *name)
{
  for (int t = 0; t < 2; t++)
    for (size_t i = 0; in->tables[t].first && i < in->tables[t].bytes / sizeof(Elf64_Rela); i++) {
      const Elf64_Rela *r = &in->tables[t].first[i];
      void **slot = (void **)(uintptr_t)(map->l_addr + r->r_offset);
      const Elf64_Sym *symbol = &in->symbols[ELF64_R_SYM(r->r_info)];
      if (ELF64_R_SYM(r->r_info) && strcmp(in->names + symbol->st_name, name) == 0)
        return make_writable(slot) ? slot : NULL;
    }
  return NULL;
}

wisp_host_references wisp_host_references_find(void *object)
{
  static const char *const locks[] = {"GOMP_critical_start", "GOMP_critical_name_start", "GOMP_atomic_start",
                                      "omp_set_lock", "omp_set_nest_lock"};
  wisp_host_references found = {.object = object};
  const struct link_map *map = NULL;
  if (dlinfo(object, RTLD_DI_LINKMAP, &map) != 0) return found;
  const linkage in = read_linkage(map);
  if (!in.symbols || !in.names) return found;
  found.parallel = find_reference(map, &in, "GOMP_parallel");
  found.thread_count = find_reference(map, &in, "omp_get_num_threads");
  found.thread_number = find_reference(map, &in, "omp_get_thread_num");
  for (size_t i = 0; i < WISP_COUNT(locks); i++) found.has_locks |= find_reference(map, &in, locks[i]) != NULL;
  return found;
}

/* ---- Running. */

typedef void region(void *data);
typedef void parallel_function(region *work, void *data, unsigned threads, unsigned flags);

/* One launch. Its region divides the blocks among as many threads as there are blocks, so that each of these has one;
 * the real threads take them in turn. */
typedef struct launch {
  wisp_schedule schedule;
  bool has_locks;
  const wisp_watched *watched;
  unsigned blocks, threads;
  parallel_function *parallel; /* OpenMP's */
  region *work;
  void *data;
  atomic_uint arrived, next, finished; /* threads; blocks that were taken; threads that are done */
} launch;

/* The launch of a thread that launches: there all the time, so that nothing but its counters has to be set anew while
 * OpenMP's threads are about. */
static _Thread_local launch own;

/* A thread's part of a launch. OpenMP's functions have no argument that could lead there. */
static _Thread_local struct {
  launch *of; /* NULL: none, or a block is run */
  int number, count;
} part;

static int own_thread_number(void)
{
  return part.number;
}

static int own_thread_count(void)
{
  return part.count;
}

/* A launch may be over before a second thread has woken up: the first ones wait for it, but not for long. */
static void await_others(launch *of)
{
  enum { MOST_TURNS = 2000 };
  atomic_fetch_add(&of->arrived, 1); /* orders all reads of the launch behind its writing */
  const unsigned wanted = of->threads < 2 ? of->threads : 2;
  for (int turn = 0; turn < MOST_TURNS && atomic_load(&of->arrived) < wanted; turn++) sched_yield();
}

/* OpenMP's pool of threads outlives the launch: the counters order what they read of it, and what blocks write. */
static void take_blocks(void *context)
{
  launch *of = context;
  await_others(of);
  for (unsigned i; (i = atomic_fetch_add(&of->next, 1)) < of->blocks;) {
    part.number = (int)(of->schedule == WISP_SCHEDULE_REVERSED ? of->blocks - 1 - i : i);
    part.count = (int)of->blocks;
    of->work(of->data);
  }
  part.number = 0, part.count = 1;
  atomic_fetch_add(&of->finished, 1);
}

/* A wisp_piece: a block, within another one maybe. */
static void run_block(void *context, unsigned block)
{
  launch *of = context;
  const int number = part.number, count = part.count;
  part.number = (int)block, part.count = (int)of->blocks;
  of->work(of->data);
  part.number = number, part.count = count;
}

static void run_alone(launch *of)
{
  if (!of->has_locks) wisp_run_interrupted(run_block, of, of->blocks, of->watched);
  for (unsigned i = 0; of->has_locks && i < of->blocks; i++) run_block(of, i);
}

/* A region within a block is its thread's alone. */
static void own_parallel(region *work, void *data, unsigned threads, unsigned flags)
{
  launch *of = part.of;
  (void)threads;
  part.of = NULL;
  if (!of) {
    work(data);
  } else if (of->schedule == WISP_SCHEDULE_MANY) {
    of->parallel(work, data, of->threads, flags);
  } else if (of->schedule == WISP_SCHEDULE_INTERRUPTED) {
    of->work = work, of->data = data;
    run_alone(of);
  } else {
    of->work = work, of->data = data;
    atomic_store(&of->next, 0);
    atomic_store(&of->finished, 0);
    atomic_store(&of->arrived, 0);
    of->parallel(take_blocks, of, of->threads, flags);
    atomic_load(&of->finished);
  }
}

static unsigned count_threads(unsigned blocks)
{
  enum { LEAST = 7, TIMES = 4, MOST = 256 };
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  unsigned threads = cores > MOST / TIMES ? MOST : cores > 1 ? TIMES * (unsigned)cores : LEAST;
  if (threads < LEAST) threads = LEAST;
  return threads < blocks ? threads : blocks;
}

/* A number of threads by OpenMP's own setting, for this launch. */
static void run_by_setting(void *object, unsigned threads, wisp_host_entry *entry, void **args, const unsigned grid[2])
{
  void (*set)(int) = NULL;
  int (*get)(void) = NULL;
  void *setter = dlsym(object, "omp_set_num_threads"), *getter = dlsym(object, "omp_get_max_threads");
  memcpy(&set, &setter, sizeof set);
  memcpy(&get, &getter, sizeof get);
  const int before = get && set ? get() : 0;
  if (before) set((int)threads);
  entry(args, grid[0], grid[1]);
  if (before) set(before);
}

void wisp_host_run_scheduled(const wisp_host_references *references, wisp_schedule schedule,
                             const wisp_watched *watched, wisp_host_entry *entry, void **args, const unsigned grid[2])
{
  own.schedule = schedule;
  own.has_locks = references->has_locks;
  own.watched = watched;
  own.blocks = grid[0] * grid[1];
  own.threads = schedule == WISP_SCHEDULE_ONE ? 1 : count_threads(own.blocks);
  if (schedule == WISP_SCHEDULE_ONE || !references->parallel || !references->thread_count ||
      !references->thread_number) {
    run_by_setting(references->object, own.threads, entry, args, grid);
    return;
  }
  void *parallel = *references->parallel, *count = *references->thread_count, *number = *references->thread_number;
  parallel_function *const replaced = own_parallel;
  int (*const own_count)(void) = own_thread_count, (*const own_number)(void) = own_thread_number;
  memcpy(&own.parallel, &parallel, sizeof parallel); /* C has no cast from object to function pointer */
  memcpy(references->parallel, &replaced, sizeof replaced);
  if (schedule != WISP_SCHEDULE_MANY) {
    memcpy(references->thread_count, &own_count, sizeof own_count);
    memcpy(references->thread_number, &own_number, sizeof own_number);
  }
  part.of = &own, part.number = 0, part.count = 1;
  entry(args, grid[0], grid[1]);
  part.of = NULL;
  *references->parallel = parallel, *references->thread_count = count, *references->thread_number = number;
}

/* ---- The number of threads. */

static int read_count(const char *name)
{
  const char *text = getenv(name);
  char *end = NULL;
  const long value = text ? strtol(text, &end, 10) : 0; /* the first of a list: that of the outermost region */
  return value > 0 && value <= INT_MAX ? (int)value : 0;
}

int wisp_host_threads(int cores)
{
  int (*get)(void) = NULL;
  void *getter = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
  memcpy(&get, &getter, sizeof get);
  const int asked = get ? get() : read_count("OMP_NUM_THREADS"), most = read_count("OMP_THREAD_LIMIT");
  const int threads = asked > 0 ? asked : cores;
  return most && most < threads ? most : threads;
}
