"""What the servers of this folder have in common: slots, a queue, a cache of prefixes, counts, and
streams that a test can hold. It knows no HTTP and no engine's name."""

import collections
import contextlib
import threading


class Engine:
    """Requests take one of SLOTS in the order of their arrival. The answer to a prompt is w0 w1
    ...; no time passes between its tokens, but a test may hold all streams behind a token."""

    def __init__(self, slots, keeps_prefixes):
        self.slots, self.keeps_prefixes = slots, keeps_prefixes
        self.changed = threading.Condition()
        self.waiting, self.running = collections.deque(), 0
        self.guests = 0  # answers that are being sent, and further requests of a test
        self.hold_after = None  # tokens
        self.cache = set()
        self.counts = collections.Counter()

    def enter(self, ticket):
        with self.changed:
            self.counts["requests"] += 1
            self.waiting.append(ticket)
            self.changed.wait_for(lambda: self.running < self.slots and self.waiting[0] is ticket)
            self.waiting.popleft()
            self.running += 1
            self.changed.notify_all()

    def leave(self):
        with self.changed:
            self.running -= 1
            self.changed.notify_all()

    def hold(self, after):
        with self.changed:
            self.hold_after = after
            self.changed.notify_all()

    def pass_token(self, number):
        """Returns when token NUMBER, from 1, may leave."""
        with self.changed:
            self.changed.wait_for(lambda: self.hold_after is None or number <= self.hold_after)
            self.counts["generation_tokens"] += 1

    @contextlib.contextmanager
    def guest(self):
        with self.changed:
            self.guests += 1
        try:
            yield
        finally:
            with self.changed:
                self.guests -= 1
                self.changed.notify_all()

    def wait_until_idle(self):
        with self.changed:
            self.changed.wait_for(lambda: not (self.running or self.waiting or self.guests))

    def cached(self, prompt, tokens):
        """The tokens of PROMPT whose KV cache is here. The last one is always computed."""
        with self.changed:
            self.counts["prompt_tokens"] += tokens
            known = prompt in self.cache
            if self.keeps_prefixes:
                self.cache.add(prompt)
            hits = tokens - 1 if known else 0
            self.counts["cached_tokens"] += hits
            return hits

    def flush(self):
        """False while requests are under way, which keep their part of the cache."""
        with self.changed:
            if self.running or self.waiting:
                return False
            self.cache.clear()
            self.counts["flushes"] += 1
            return True

    def load(self):
        with self.changed:
            return self.running, len(self.waiting)


def answer_length(limit, forced, prompt):
    """Without a forced length the end token comes early, at a place that the prompt decides."""
    if forced:
        return limit
    size = len(prompt) if isinstance(prompt, (str, tuple)) else 1
    return max(1, limit - 1 - size % 3)
