ALTER TABLE measurement ADD COLUMN tool TEXT NOT NULL DEFAULT 'native';        -- that sent the requests; native: our load generator
ALTER TABLE measurement ADD COLUMN tool_version TEXT;
ALTER TABLE measurement ADD COLUMN definition TEXT NOT NULL DEFAULT 'native';  -- the tool whose formulas the figures follow
ALTER TABLE measurement ADD COLUMN origin TEXT;                                -- file that the figures come from; NULL: measured here by us
ALTER TABLE measurement ADD COLUMN origin_sha256 TEXT;
ALTER TABLE measurement ADD COLUMN missing TEXT NOT NULL DEFAULT '';           -- figures that the file lacks, joined by ' '
CREATE INDEX measurement_by_origin ON measurement(origin_sha256) WHERE origin_sha256 IS NOT NULL;
ALTER TABLE measurement ADD COLUMN prefix_cache TEXT;                          -- 'cold' or 'warm'; NULL: not recorded
