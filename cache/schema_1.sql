-- Version 1 of the store. A file of version N is brought up to date by the texts schema_N+1, schema_N+2, ... in turn; a new file by all.
-- Unknown numbers are NULL. checksum is over every known field (cache/columns.c): a damaged row is noticed, not believed.
CREATE TABLE trial (
  "spec"          TEXT    NOT NULL,
  "layout"        TEXT    NOT NULL,
  "strategy"      TEXT    NOT NULL,
  "params"        TEXT    NOT NULL,
  "device"        TEXT    NOT NULL,
  "target"        TEXT    NOT NULL,
  "units"         INTEGER NOT NULL,
  "driver"        TEXT    NOT NULL,
  "compiler"      TEXT    NOT NULL,
  "template_hash" TEXT    NOT NULL,
  "elements"      INTEGER NOT NULL,
  "version"       TEXT    NOT NULL,
  "mode"          TEXT    NOT NULL,
  "clock_mhz"     REAL,
  "when"          TEXT    NOT NULL,
  "outcome"       TEXT    NOT NULL,
  "reason"        TEXT    NOT NULL,
  "ms"            REAL,
  "gdofs"         REAL,
  "gbps"          REAL,
  "gflops"        REAL,
  "efficiency"    REAL,
  "error"         REAL,
  "registers"     INTEGER,
  "spill_bytes"   INTEGER,
  "shared_bytes"  INTEGER,
  "is_default"    INTEGER NOT NULL,
  "samples"       TEXT    NOT NULL,
  "checksum"      TEXT    NOT NULL,
  UNIQUE ("spec", "layout", "strategy", "params", "device", "target", "units", "driver", "compiler", "template_hash", "elements")
);

-- For people with a SQLite shell: the fastest candidate of each kernel, layout, device and size.
CREATE VIEW winner AS
SELECT *, min("ms") AS fastest FROM trial WHERE "outcome" = 'ok'
GROUP BY "spec", "layout", "device", "target", "units", "driver", "compiler", "elements";
