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

# For awk: the value of a field of a trial in the shipped form; none of those asked for holds a quote.
awk_field='
  function field(name,    at, rest) {
    at = index(" " $0, " " name "=")
    if (!at) return ""
    rest = substr($0, at + length(name) + 1)
    if (substr(rest, 1, 1) == "\"") { rest = substr(rest, 2); return substr(rest, 1, index(rest, "\"") - 1) }
    sub(/ .*/, "", rest)
    return rest
  }'
