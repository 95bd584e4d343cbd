-- Version 3: what a trial was timed on is part of its key. What is there was timed on the box as it is.
DROP VIEW winner;
ALTER TABLE trial RENAME TO trial_2;
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
  "mesh"          TEXT    NOT NULL DEFAULT 'box',
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
  "tie"           TEXT    NOT NULL DEFAULT '',
  "samples"       TEXT    NOT NULL,
  "checksum"      TEXT    NOT NULL,
  UNIQUE ("spec", "layout", "strategy", "params", "device", "target", "units", "driver", "compiler", "template_hash", "elements", "mesh")
);
INSERT INTO trial (
  "spec", "layout", "strategy", "params", "device", "target", "units", "driver", "compiler", "template_hash", "elements",
  "version", "mode", "clock_mhz", "when", "outcome", "reason", "ms", "gdofs", "gbps", "gflops", "efficiency", "error",
  "registers", "spill_bytes", "shared_bytes", "is_default", "samples", "checksum", "tie"
) SELECT
  "spec", "layout", "strategy", "params", "device", "target", "units", "driver", "compiler", "template_hash", "elements",
  "version", "mode", "clock_mhz", "when", "outcome", "reason", "ms", "gdofs", "gbps", "gflops", "efficiency", "error",
  "registers", "spill_bytes", "shared_bytes", "is_default", "samples", "checksum", "tie"
FROM trial_2;
DROP TABLE trial_2;

-- For people with a SQLite shell: the candidate that answers for each kernel, layout, device, size and kind of mesh. 1.03: cache/contest.c.
CREATE VIEW winner AS
SELECT *, min("ms" * CASE "tie" WHEN 'chosen' THEN 1 ELSE 1.03 END) AS contest FROM trial WHERE "outcome" = 'ok'
GROUP BY "spec", "layout", "device", "target", "units", "driver", "compiler", "elements", "mesh";
