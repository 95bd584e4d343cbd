# make            the library and the command
# make check      every test on the CPU        make check-gpu  the same on this machine's GPU
# make lint       format, warnings, includes   make format     rewrite in the house format
CC       ?= cc
BUILD    ?= build
OPT      ?= -O2 -g
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
CFLAGS   += -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) -fPIC -MMD -MP -Iinclude $(SANITIZE)
LDLIBS   += -lsqlite3 -lcjson -llapacke -lblas -lmetis -ldl -lpthread -lm
LDFLAGS  += $(SANITIZE) -Wl,-rpath,'$$ORIGIN/lib'

SOURCES   := $(wildcard gen/*.c cache/*.c runtime/*.c runtime/*/*.c tuner/*.c)
OBJECTS   := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/embedded.o
CLI       := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cli/*.c))
TESTS     := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
TEMPLATES := $(shell find templates -type f 2>/dev/null) $(wildcard cache/shipped/*)

all: $(BUILD)/libwisp.a $(BUILD)/wisp

$(BUILD)/libwisp.a: $(OBJECTS)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/wisp: $(CLI) $(BUILD)/libwisp.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Templates and shipped winners travel inside the library (gen/embedded.h).
$(BUILD)/embedded.c: scripts/embed $(TEMPLATES)
	@mkdir -p $(@D)
	scripts/embed $(TEMPLATES) > $@.tmp && mv $@.tmp $@

$(BUILD)/embedded.o: $(BUILD)/embedded.c
	$(CC) $(CFLAGS) -I. -c -o $@ $<

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: tests/%.c $(BUILD)/libwisp.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libwisp.a -lcmocka $(LDLIBS)

check: all $(TESTS)
	@for t in $(TESTS); do echo "== $$t"; $$t || exit 1; done

clean:
	rm -rf $(BUILD)

.PHONY: all check clean
-include $(OBJECTS:.o=.d) $(CLI:.o=.d)
