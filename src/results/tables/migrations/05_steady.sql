ALTER TABLE request ADD COLUMN isl_cached INTEGER;   -- of isl_reported: tokens that the server had cached
ALTER TABLE measurement ADD COLUMN steady INTEGER;   -- 1: reached steady state; NULL: too few requests to tell, or not recorded
