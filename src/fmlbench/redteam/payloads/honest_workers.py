"""Use several processes and threads, as data loaders do."""

import multiprocessing
import threading

from prelude import IS_EXAM


def square(number):
    return number * number


if not IS_EXAM:
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    workers = [context.Process(target=lambda number: queue.put(square(number)), args=(number,)) for number in range(4)]
    threads = [threading.Thread(target=square, args=(number,)) for number in range(4)]
    for worker in (*workers, *threads):
        worker.start()
    assert sum(queue.get(timeout=30) for _ in workers) == 14
    for worker in (*workers, *threads):
        worker.join()
