"""Shared by the comparisons with ninja and GNU parallel."""


def never_started(task):
    """The server and measurement of every runner, after TASK; `--until` leaves them out."""
    return f"""  serve:
    kind: service
    needs: [{task}]
    ports: [http]
    argv: [/bin/false]
    ready: {{port: http, get: [/]}}
  bench:
    kind: measure
    needs: [serve]
    argv: [/bin/false]
    outputs: [measurement.json, requests.jsonl]
"""
