# Read by scripts and the Makefile: which formatter, and which C files there are.

# The format depends on the formatter's version; 14 is the house's.
CLANG_FORMAT=$(command -v clang-format-14 || command -v clang-format || echo clang-format-14)

# Every C file and header, ours alone.
c_files()
{
  for room in include gen cache runtime tuner cli tests bench examples; do
    if [ -d "$room" ]; then find "$room" -name '*.[ch]' -type f; fi
  done | LC_ALL=C sort
}
