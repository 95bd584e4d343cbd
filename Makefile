# make                  the library and the command
# make check            every test on the host device; ONLY="test_a test_b" runs only those, here and below
# make check-gpu        the same tests on this machine's GPU
# make check-sanitize   with address and undefined-behaviour checks
# make check-valgrind   the quick tests under valgrind
# make check-all        the three together
# make check-race       tests in which threads compile, tune and wait, with the thread sanitizer
# make lint             format, warnings, includes, shape
# make format           rewrite in the house format
# make bench            ours against the vendor's library
# make roundoff         what rounding does in either basis: tables and plots
# make errors           what single precision loses, beside plain sums and from size to size; DEVICE=cuda
# make bundle           a folder to carry to a GPU machine
# make install          to PREFIX (/usr/local), under DESTDIR
# make uninstall        what make install put there, given the same two
# make clean            remove what was made here
CC      ?= cc
BUILD   ?= build
PREFIX  ?= /usr/local
OPT     ?= -O2 -g1
# Constants of an enumeration are ints in C: clang from 19 on would have each cast that a double is multiplied with.
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-enum-float-conversion
# The user's CFLAGS, LDFLAGS and LDLIBS come last, so that they win.
compile  = $(CC) -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) -fPIC -pthread -MMD -MP -Iinclude -I$(BUILD) $(SANITIZE) $(CFLAGS)
# The command finds libraries in lib/ beside it, a test in lib/ above it; by the old kind of rpath, which holds for what those
# libraries need as well.
link     = $(CC) -pthread $(SANITIZE) $(LDFLAGS)
rpath   := -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib'
libs     = -lmetis -lcjson -lsqlite3 -ldl -lm $(LDLIBS)

VERSION := $(shell sed -n 's/^.define WISP_VERSION "\(.*\)"/\1/p' include/wisp.h)
MAJOR   := $(firstword $(subst ., ,$(VERSION)))

objects    = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)))
LIBRARY   := $(call objects,gen/*.c gen/*/*.c cache/*.c runtime/*.c runtime/*/*.c tuner/*.c tuner/*/*.c) $(BUILD)/embedded.o
COMMAND   := $(call objects,cli/*.c)
# tests/test_*.c are programs, each with the main function of tests/main.c; every other C file in tests/ helps them all.
HELPERS   := $(call objects,$(filter-out tests/main.c tests/test_%,$(wildcard tests/*.c)))
TESTS     := $(patsubst tests/%.c,$(BUILD)/tests/%,$(or $(ONLY:%=tests/%.c),$(wildcard tests/test_*.c)))
# The families' declarations, a header of each.
DECLARED  := $(patsubst %,$(BUILD)/%.h,$(shell find templates tests -name family -type f))
# The library carries: kernel texts and their spaces, systems, dialects, the store's schema, shipped winners,
# hashes and names that changed, the pages of the command.
CARRIED   := $(filter-out %/family %/kernels,$(shell find templates cli/help cache/shipped cache/*.sql cache/rehashed.list cache/renamed.list tuner/hdg/published -type f 2>/dev/null))
PROGRAM   := $(if $(COMMAND),$(BUILD)/wisp)

all: $(BUILD)/libwisp.a $(BUILD)/libwisp.so $(PROGRAM)

# Archives and programs are made under another name and renamed: whoever runs them meanwhile keeps the old one.
$(BUILD)/libwisp.a: $(LIBRARY)
	@rm -f $@.$$PPID && ar rcs $@.$$PPID $(filter %.o,$^) && mv $@.$$PPID $@

# Programs can call what wisp.h declares; everything else stays inside.
$(BUILD)/libwisp.map: include/wisp.h
	@mkdir -p $(@D)
	{ echo '{ global:'; grep -o '^[a-z].*\bwisp_[a-z0-9_]*(' $< | sed 's/.*\b\(wisp_[a-z0-9_]*\)($$/\1;/'; echo 'local: *; };'; } > $@

$(BUILD)/libwisp.so: $(LIBRARY) $(BUILD)/libwisp.map
	$(link) -shared -Wl,-soname,libwisp.so.$(MAJOR) -Wl,--version-script=$(BUILD)/libwisp.map -o $@.$$PPID $(filter %.o,$^) $(libs) && mv $@.$$PPID $@
	@ln -sf libwisp.so $@.$(MAJOR)

$(BUILD)/wisp: $(COMMAND) $(BUILD)/libwisp.a
	$(link) $(rpath) -o $@.$$PPID $^ $(libs) && mv $@.$$PPID $@

# The tests share: the library with all its symbols, the command's parts, and their helpers. Made for them alone, never
# installed.
$(BUILD)/lib/libwisp-tests.so: $(LIBRARY) $(filter-out %/main.o,$(COMMAND)) $(HELPERS)
	@mkdir -p $(@D)
	$(link) -shared -Wl,-soname,$(@F) $(rpath) -o $@.$$PPID $^ -lcmocka $(libs) && mv $@.$$PPID $@

# The family that a program adds, and the kind of device.
$(BUILD)/tests/test_family: $(call objects,tests/filter/*.c)
$(BUILD)/tests/test_own_device: $(call objects,tests/fence/*.c)

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(BUILD)/tests/main.o $(BUILD)/lib/libwisp-tests.so
	@rm -f $@
	$(link) $(rpath) -o $@.$$PPID $^ -Wl,--as-needed -lcmocka -llapacke $(libs) && mv $@.$$PPID $@

# A tool of scripts/rehash.
$(BUILD)/tests/list_sources: $(BUILD)/tests/tools/list_sources.o $(BUILD)/lib/libwisp-tests.so
	$(link) $(rpath) -o $@ $^ $(libs)

$(BUILD)/embedded.c: scripts/embed $(CARRIED)
	@mkdir -p $(@D)
	scripts/embed $(CARRIED) > $@.$$PPID && mv $@.$$PPID $@

$(DECLARED): $(BUILD)/%/family.h: %/family %/kernels scripts/declare
	@mkdir -p $(@D)
	scripts/declare $*/family $*/kernels > $@.$$PPID && mv $@.$$PPID $@

# Programs that check C need these files beside it.
declared: $(DECLARED)

$(BUILD)/embedded.o: $(BUILD)/embedded.c
	$(compile) -I. -c -o $@ $<

# A test that no longer compiles leaves no old program behind that could pass.
$(BUILD)/tests/test_%.o: tests/test_%.c | $(DECLARED)
	@mkdir -p $(@D) && rm -f $(@:.o=)
	$(compile) -c -o $@ $<

$(BUILD)/%.o: %.c | $(DECLARED)
	@mkdir -p $(@D)
	$(compile) -c -o $@ $<

# ---- Tests: scripts/run-tests runs them all from here, one a core at a time, and keeps them out of the user's home.
# A test that does not build is counted as failed, and the others run.
tests: all $(TESTS)

build-tests = $(MAKE) $(1) all && { $(MAKE) -k $(1) tests || true; }
# Null pointers and sizes of objects are the address sanitizer's.
sanitized  := BUILD=build-sanitize SANITIZE="-fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=undefined" OPT="-O1 -g1 -fno-omit-frame-pointer"
check:
	+@$(call build-tests)
	@scripts/run-tests plain:$(BUILD) $(ONLY)

# Without the libraries' headers (a GPU machine where nothing can be installed), the carried bundle is run.
check-gpu:
	+@if printf '#include <sqlite3.h>\n#include <cmocka.h>\n' | $(CC) -M -include stdarg.h -include stddef.h \
	  -include setjmp.h -include stdint.h -x c - >/dev/null 2>&1; then \
	  $(call build-tests) && WISP_TEST_DEVICE=cuda scripts/run-tests gpu:$(BUILD) $(ONLY); \
	elif [ -x bundle/run-tests ]; then bundle/run-tests $(ONLY); \
	else echo "check-gpu: no libraries to build with: run scripts/setup --dev, or bring bundle/ (make bundle)" >&2; exit 1; fi

# Kernels made and compiled while test_kernels runs are checked as well: as written, which compiles in a quarter of the time. Where others
# run them they are only compiled quickly.
check-sanitize:
	+@$(call build-tests,$(sanitized))
	@scripts/run-tests sanitize:build-sanitize $(ONLY)

check-valgrind:
	+@$(call build-tests)
	@scripts/run-tests valgrind:$(BUILD) $(ONLY)

# The three in one queue.
check-all:
	+@$(call build-tests)
	+@$(call build-tests,$(sanitized))
	@scripts/run-tests sanitize:build-sanitize plain:$(BUILD) valgrind:$(BUILD) $(ONLY)

# Not part of check-all, for its time: once by whoever changes what threads share.
raced  := BUILD=build-race SANITIZE=-fsanitize=thread OPT="-O1 -g1 -fno-omit-frame-pointer"
threaded := test_api_misuse test_kernels test_tune test_pipeline test_queue test_supervisor test_planted test_threads test_api_tune test_device_host
check-race:
	+@$(call build-tests,$(raced))
	@scripts/run-tests race:build-race $(or $(ONLY),$(threaded))

lint:
	@scripts/lint

format:
	@. scripts/tools.sh; format=$$(house_formatter) || { echo "format: no clang-format 14 or 15 here: scripts/setup --dev installs one" >&2; exit 1; }; \
	  c_files | xargs "$$format" -i

bench: all
	@scripts/bench

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/libwisp.a
	$(link) $(rpath) -o $@.$$PPID $^ -Wl,--as-needed -llapacke $(libs) && mv $@.$$PPID $@

roundoff: all $(BUILD)/bench/roundoff
	@scripts/roundoff

errors: all $(BUILD)/bench/errors
	@$(BUILD)/bench/errors $(or $(DEVICE),auto)
	@$(BUILD)/wisp bench -f assembly --accuracy -d $(or $(DEVICE),auto)

# ---- Carried and installed copies.
bundle:
	+@$(call build-tests)
	@scripts/bundle $(BUILD) bundle

# PREFIX and DESTDIR may hold blanks; in wisp.pc they are escaped.
comma := ,
blank := $() $()
to    := $(DESTDIR)$(PREFIX)
place := $(subst $(blank),\$(blank),$(PREFIX))
# Programs find the library where the system does not look for it.
found := $(if $(filter-out /usr /usr/local,$(PREFIX)),-Wl$(comma)-rpath$(comma)$(place)/lib )
install: all
	install -d "$(to)/bin" "$(to)/lib/pkgconfig" "$(to)/include"
	$(if $(PROGRAM),install -m 755 $(PROGRAM) "$(to)/bin/")
	install -m 644 include/wisp.h "$(to)/include/"
	install -m 644 $(BUILD)/libwisp.a "$(to)/lib/"
	install -m 755 $(BUILD)/libwisp.so "$(to)/lib/libwisp.so.$(VERSION)"
	ln -sf libwisp.so.$(VERSION) "$(to)/lib/libwisp.so.$(MAJOR)"
	ln -sf libwisp.so.$(MAJOR) "$(to)/lib/libwisp.so"
	install -m 644 /dev/null "$(to)/lib/pkgconfig/wisp.pc"
	printf '%s\n' 'Name: wisp' 'Description: tuned GPU kernels for discontinuous Galerkin methods' \
	  'Version: $(VERSION)' 'Cflags: -I$(place)/include' 'Libs: -L$(place)/lib $(found)-lwisp' \
	  'Libs.private: $(libs) -pthread' > "$(to)/lib/pkgconfig/wisp.pc"

uninstall:
	rm -f "$(to)/bin/wisp" "$(to)/include/wisp.h" "$(to)/lib/libwisp.a" "$(to)"/lib/libwisp.so* "$(to)/lib/pkgconfig/wisp.pc"

help:
	@sed -n 's/^# \(make.*\)/\1/p' Makefile

clean:
	rm -rf $(BUILD) build-sanitize build-race bundle

.PHONY: declared
.PHONY: all tests check check-gpu check-sanitize check-valgrind check-all check-race lint format bench roundoff errors bundle install uninstall help clean
.SECONDARY: $(TESTS:=.o) $(BUILD)/tests/main.o
-include $(LIBRARY:.o=.d) $(COMMAND:.o=.d) $(HELPERS:.o=.d) $(BUILD)/tests/main.d $(TESTS:=.d) $(wildcard $(BUILD)/tests/*/*.d)
