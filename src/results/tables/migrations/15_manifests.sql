ALTER TABLE run ADD COLUMN runners TEXT;                -- JSON object: runner -> SHA-256 of its manifest and parts; NULL: not recorded
UPDATE point_result SET serve_repeats = (SELECT count(DISTINCT CASE
    WHEN m.session_id IS NOT NULL THEN m.session_id
    WHEN r.runner = 'import' THEN -2 * m.stage_id ELSE -2 * r.id - 1 END)
  FROM result_measurement rm JOIN measurement m ON m.id = rm.measurement_id
    JOIN attempt a ON a.id = m.attempt_id JOIN run r ON r.id = a.run_id
  WHERE rm.result_id = point_result.id);
INSERT OR IGNORE INTO result_to_derive (experiment, point)
  SELECT r.experiment, p.name FROM point p JOIN run r ON r.id = p.run_id
  WHERE r.runner = 'import' GROUP BY 1, 2 HAVING count(DISTINCT r.id) > 1;
