ALTER TABLE server_counter ADD COLUMN family TEXT;
ALTER TABLE server_counter ADD COLUMN model TEXT;  -- its label of that name
ALTER TABLE server_counter ADD COLUMN label TEXT;  -- the values of its other labels, without version
ALTER TABLE server_counter ADD COLUMN kind TEXT;   -- 'gauge' or 'counter'; NULL: unknown
ALTER TABLE server_counter ADD COLUMN min REAL;    -- of a gauge during the window
ALTER TABLE server_counter ADD COLUMN max REAL;
ALTER TABLE server_counter ADD COLUMN mean REAL;
ALTER TABLE server_counter ADD COLUMN n INTEGER;   -- samples during the window
UPDATE server_counter SET family = substr(name, 1, instr(name || '{', '{') - 1);
