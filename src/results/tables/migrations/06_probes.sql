ALTER TABLE attempt ADD COLUMN probe TEXT;           -- JSON: readiness and smoke requests of a server
