#include "cubin.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum { BYTES = 16, OPCODE = 0xfff, FLOW = 0x940, FLOW_END = 0x960, BRANCH = 0x947, EXIT = 0x94d };

static unsigned opcode(const char *code, size_t i)
{
  uint64_t word = 0;
  memcpy(&word, code + i * BYTES, sizeof word);
  return (unsigned)(word & OPCODE);
}

/* Behind the last instruction stands a branch to itself, then padding. */
static int count_instructions(const char *code, size_t instructions)
{
  size_t end = instructions;
  while (end > 0 && opcode(code, end - 1) != BRANCH) end--;
  if (end < 2 || opcode(code, end - 2) != EXIT) return 0;
  for (size_t i = 0; i + 1 < end; i++)
    if (opcode(code, i) >= FLOW && opcode(code, i) < FLOW_END && opcode(code, i) != EXIT) return 0;
  return (int)(end - 1);
}

/* A part of the file; NULL where it is not whole. */
static const char *find_part(const char *data, size_t length, uint64_t from, uint64_t size)
{
  return from <= length && size <= length - from ? data + from : NULL;
}

int wisp_cubin_issued(const char *data, size_t length)
{
  static const char text[] = ".text.";
  Elf64_Ehdr head;
  Elf64_Shdr names, section;
  int issued = 0, kernels = 0;
  if (length < sizeof head || memcmp(data, ELFMAG, SELFMAG) != 0) return 0;
  memcpy(&head, data, sizeof head);
  const char *table = find_part(data, length, head.e_shoff, (uint64_t)head.e_shnum * sizeof section);
  if (!table || head.e_shentsize != sizeof section || head.e_shstrndx >= head.e_shnum) return 0;
  memcpy(&names, table + head.e_shstrndx * sizeof section, sizeof names);
  for (size_t i = 0; i < head.e_shnum; i++) {
    memcpy(&section, table + i * sizeof section, sizeof section);
    const char *name = find_part(data, length, names.sh_offset + section.sh_name, sizeof text);
    const char *code = find_part(data, length, section.sh_offset, section.sh_size);
    if (section.sh_type != SHT_PROGBITS || !name || !code || strncmp(name, text, strlen(text)) != 0) continue;
    issued = count_instructions(code, section.sh_size / BYTES);
    kernels++;
  }
  return kernels == 1 ? issued : 0;
}
