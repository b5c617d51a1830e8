ALTER TABLE record_file ADD COLUMN sum TEXT NOT NULL DEFAULT '';  -- checksum of its last line; '': of an older version
CREATE TABLE record_copy (
  path TEXT NOT NULL,
  from_byte INTEGER NOT NULL,            -- where the piece begins in the file
  bytes INTEGER NOT NULL,                -- of the piece, unpacked
  piece BLOB NOT NULL,
  UNIQUE (path, from_byte)
) STRICT;
ALTER TABLE attempt ADD COLUMN oom_killed INTEGER;   -- 1: the kernel's OOM killer acted meanwhile
ALTER TABLE attempt ADD COLUMN log_error INTEGER;    -- errno: bytes of its log were lost; NULL: none
ALTER TABLE attempt ADD COLUMN full_disk TEXT;       -- a path whose file system was full at its end
ALTER TABLE attempt ADD COLUMN judged_by TEXT;       -- digest of the table of failure classes; NULL: success, or unknown
