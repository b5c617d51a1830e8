ALTER TABLE request ADD COLUMN first_reasoning_ns INTEGER;  -- first event with text of the reasoning; NULL: none
ALTER TABLE request ADD COLUMN first_visible_ns INTEGER;    -- first event with text of the answer itself, behind its reasoning
