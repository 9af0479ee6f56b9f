-- Ten questions to the tables of audits, for DuckDB.
--
--   sluice audit ... --out march --format parquet
--   cd march
--   duckdb -c ".read queries.sql"        -- by its path
--
-- All audits in this folder and below count, so that in the folder of the parts of an audit they are one.
--
-- The tables have a row for every decision that is not plainly allowed; for every message after `audit --all`. Times are UTC. `line`
-- joins the tables: ids of messages may be missing, or repeated. Here it is the folder and the line.

CREATE OR REPLACE TEMP VIEW decisions AS
SELECT * EXCLUDE (filename) REPLACE ({ 'part': parse_dirpath(filename), 'line': line } AS line)
FROM read_parquet('**/decisions-*.parquet', filename = true);

CREATE OR REPLACE TEMP VIEW matches AS
SELECT * EXCLUDE (filename) REPLACE ({ 'part': parse_dirpath(filename), 'line': line } AS line)
FROM read_parquet('**/matches-*.parquet', filename = true);

CREATE OR REPLACE TEMP VIEW unevaluated AS
SELECT * EXCLUDE (filename) REPLACE ({ 'part': parse_dirpath(filename), 'line': line } AS line)
FROM read_parquet('**/unevaluated-*.parquet', filename = true);

-- name: stopped-by-day
-- How many messages were stopped each day?
SELECT
  CAST(sent_at AS DATE) AS day,
  count(*) AS stopped,
  count(*) FILTER (verdict = 'blockMessage') AS blocked,
  count(*) FILTER (verdict = 'dropMessage') AS dropped
FROM decisions
WHERE verdict <> 'allow'
GROUP BY day
ORDER BY day;

-- name: stopped-by-rule
-- Which rules stop most? `alone`: no other rule stops the message as strongly; switch the rule off, and its verdict changes.
WITH resting AS (
  SELECT line, rule_id, min(rule_name) AS rule_name
  FROM matches SEMI JOIN (FROM decisions WHERE verdict <> 'allow') USING (line)
  WHERE determining
  GROUP BY line, rule_id
),
counted AS (
  SELECT *, count(*) OVER (PARTITION BY line) AS rules FROM resting
)
SELECT
  rule_id,
  min(rule_name) AS rule_name,
  count(*) AS stopped,
  count(*) FILTER (rules = 1) AS alone
FROM counted
GROUP BY rule_id
ORDER BY stopped DESC, rule_id;

-- name: shadow-rules
-- What would the rules in shadow do? `allowed`: messages that nothing else stops.
SELECT
  rule_id,
  min(rule_name) AS rule_name,
  count(DISTINCT line) AS matched,
  count(DISTINCT line) FILTER (verdict = 'allow') AS allowed
FROM matches JOIN decisions USING (line)
WHERE shadow
GROUP BY rule_id
ORDER BY allowed DESC, rule_id;

-- name: terms-that-hit-most
-- Which terms occur most, and of which keyword lists? `places`: occurrences, at most 1,000 of a message are kept. A term without a
-- list stands in its rule.
SELECT
  term,
  list_id,
  count(DISTINCT line) AS messages,
  count(DISTINCT (line, path, start, "end")) AS places
FROM matches
WHERE kind = 'word'
GROUP BY term, list_id
ORDER BY messages DESC, places DESC, term, list_id
LIMIT 50;

-- name: texts-from-many-senders
-- Which texts that patterns find (numbers, links, addresses) come from several senders? Often one campaign.
SELECT
  text,
  count(DISTINCT sender) AS senders,
  count(DISTINCT line) AS messages,
  min(sent_at) AS first_at,
  max(sent_at) AS last_at
FROM matches JOIN decisions USING (line)
WHERE kind = 'pattern'
GROUP BY text
HAVING senders > 1
ORDER BY senders DESC, messages DESC, text
LIMIT 50;

-- name: senders-stopped-most
-- Whose messages are stopped most, by how many rules, in how many conversations, and when last?
SELECT
  sender,
  count(DISTINCT line) AS stopped,
  count(DISTINCT line) FILTER (verdict = 'dropMessage') AS dropped,
  count(DISTINCT conversation_id) AS conversations,
  count(DISTINCT rule_id) AS rules,
  max(sent_at) AS last_at
FROM decisions LEFT JOIN (FROM matches WHERE determining) USING (line)
WHERE verdict <> 'allow' AND sender IS NOT NULL
GROUP BY sender
ORDER BY stopped DESC, sender
LIMIT 50;

-- name: conversations-stopped-most
-- In which conversations is most stopped, and from how many senders?
SELECT
  conversation_id,
  count(*) AS stopped,
  count(DISTINCT sender) AS senders,
  min(sent_at) AS first_at,
  max(sent_at) AS last_at
FROM decisions
WHERE verdict <> 'allow' AND conversation_id IS NOT NULL
GROUP BY conversation_id
ORDER BY stopped DESC, conversation_id
LIMIT 50;

-- name: rules-that-overlap
-- Which rules match the same messages? `shared` of `matched` and of `other_matched`; where all of a rule is shared, another has it.
WITH hits AS (
  SELECT DISTINCT line, rule_id FROM matches
),
totals AS (
  SELECT rule_id, count(*) AS messages FROM hits GROUP BY rule_id
)
SELECT
  one.rule_id AS rule_id,
  other.rule_id AS other_rule_id,
  count(*) AS shared,
  any_value(of_one.messages) AS matched,
  any_value(of_other.messages) AS other_matched
FROM hits AS one
JOIN hits AS other ON other.line = one.line AND one.rule_id < other.rule_id
JOIN totals AS of_one ON of_one.rule_id = one.rule_id
JOIN totals AS of_other ON of_other.rule_id = other.rule_id
GROUP BY one.rule_id, other.rule_id
ORDER BY shared DESC, one.rule_id, other.rule_id
LIMIT 50;

-- name: scores-near-thresholds
-- Which thresholds decide by a hair? `near`: scores at most 5 above the threshold.
SELECT
  rule_id,
  label,
  threshold,
  count(*) AS scores,
  count(*) FILTER (score - threshold <= 5) AS near,
  min(score) AS lowest
FROM matches
WHERE kind = 'score'
GROUP BY rule_id, label, threshold
ORDER BY near DESC, scores DESC, rule_id, label, threshold;

-- name: unevaluated-by-reason
-- What could not be judged, and why? `allowed`: messages that were let through without an answer to the condition.
SELECT
  why,
  rule_id,
  condition_id,
  count(DISTINCT line) AS messages,
  count(DISTINCT line) FILTER (verdict = 'allow') AS allowed
FROM unevaluated JOIN decisions USING (line)
GROUP BY why, rule_id, condition_id
ORDER BY messages DESC, why, rule_id, condition_id;
