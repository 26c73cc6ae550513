"""What must be true of the rows themselves, asked in SQL: the store's own view, next to what the checker thinks of the
exported ledger."""

from cluster import Cluster

# Each finds rows that cannot be. States of runs: 0 waiting, 1 queued, 2 running, 3 waiting for another try. Of
# attempts: 0 claimed, 1 launched, 7 given back.
QUESTIONS = {
    "an occurrence decided twice": """
        SELECT uid, nominal FROM ledger WHERE source IN (0, 1) AND uid <> 0 GROUP BY 1, 2 HAVING count(*) > 1""",
    "a decision from the same version as another one": """
        SELECT uid, version FROM ledger WHERE version > 0 AND uid <> 0 AND waited_from IS NULL
        GROUP BY 1, 2 HAVING count(DISTINCT server) > 1""",
    "an attempt twice": """
        SELECT run_seq, attempt, session FROM attempt WHERE state <> 7 GROUP BY 1, 2, 3 HAVING count(*) > 1""",
    "an attempt without its run": """
        SELECT a.seq FROM attempt a LEFT JOIN ledger g ON g.seq = a.run_seq WHERE g.seq IS NULL""",
    "an open attempt of a run that is not running": """
        SELECT a.seq FROM attempt a JOIN ledger g ON g.seq = a.run_seq WHERE a.state < 2 AND g.state <> 2""",
    "a running run without an open attempt": """
        SELECT g.seq FROM ledger g WHERE g.state = 2
        AND NOT EXISTS (SELECT FROM attempt a WHERE a.run_seq = g.seq AND a.attempt = g.attempt AND a.state < 2)""",
    "a run that its schedule waits for, and is not there": """
        SELECT s.uid, l.seq FROM state s CROSS JOIN LATERAL unnest(s.live) AS l(seq)
        LEFT JOIN ledger g ON g.seq = l.seq WHERE g.seq IS NULL OR g.uid <> s.uid""",
    "a run that nobody counts": """
        SELECT g.seq, g.state, s.live FROM ledger g JOIN state s ON s.uid = g.uid
        WHERE g.outcome <> 2 AND g.state IN (0, 1, 2, 3) AND NOT g.seq = ANY(s.live) AND s.flags & 2 = 0""",
    "two events at one position": """
        SELECT a.id FROM feed a JOIN feed b ON b.position > a.position AND b.position < a.position + a.count""",
}
ROWS_SHOWN = 5


def problems_in_rows(cluster: Cluster) -> tuple[int, list[str]]:
    """How many questions were asked, and what was found."""
    problems = []
    for what, sql in QUESTIONS.items():
        problems += [f"{what}: {row}" for row in cluster.rows(f"{sql} LIMIT {ROWS_SHOWN}")]
    return len(QUESTIONS), problems
