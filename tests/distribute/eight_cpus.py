"""What `test_at_once.py` runs in a process of its own: a line of JSON for each name."""

import json

import numpy as np

import tapeflow as tf


def main():
    CPU = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(CPU, [tf.config.LogicalDeviceConfiguration()] * 8)
    D, A = tf.distribute, tf.VariableAggregation

    def say(name, value):
        print(json.dumps([name, value]), flush=True)

    def mirrored(count):
        return D.MirroredStrategy([f"CPU:{k}" for k in range(count)])

    eight, two = mirrored(8), mirrored(2)

    def context():
        return D.get_replica_context()

    def each(strategy, values):
        return strategy.experimental_distribute_values_from_function(
            lambda c: tf.constant(values[c.replica_id_in_sync_group])
        )

    def numbers(value):
        return np.array([v.numpy() for v in value.values], dtype=float).ravel().tolist()

    def both(strategy, f, *args):
        """By turns, and at once."""
        run = lambda *xs: strategy.run(f, args=xs)
        return [numbers(run(*args)), numbers(tf.function(run)(*args))]

    # ---- one trace, one operation

    traced = []
    step = tf.function(
        lambda x: eight.reduce("SUM", eight.run(lambda y: [traced.append(1), y * 1.0][1], args=(x,)), axis=None)
    )
    x = each(eight, np.arange(8.0, dtype="f"))
    first = float(step(x))
    nodes = [n.prim.name for n in step.graph.nodes if n.prim.apart]
    say(
        "once",
        {
            "traced": len(traced),
            "nodes": nodes,
            "losses": [first, float(step(each(eight, 2 * np.arange(8.0, dtype="f"))))],
        },
    )

    # ---- derivatives

    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            weight = tf.cast(context().replica_id_in_sync_group, tf.float32) + 1.0
            y = context().all_reduce("sum", tf.sin(x)) + context().all_reduce("mean", x * x)
            y = tf.reduce_sum(y * weight) + tf.reduce_sum(context().all_gather(x, axis=0) ** 2) * weight
        return tape.gradient(y, x)

    vectors = each(eight, np.random.default_rng(0).normal(size=(8, 3)).astype("f"))
    say("gradients", both(eight, gradients, vectors))

    with two.scope():
        w = tf.Variable([1.0, 2.0])
    pair = each(two, np.float32([[1.0, 3.0], [2.0, -1.0]]))

    def around(strategy, graph):
        loss = lambda a, b: strategy.reduce(
            "SUM",
            strategy.run(
                lambda y: context().all_reduce("sum", tf.reduce_sum(tf.sin(w * y)) * tf.reduce_sum(w)) * y[0],
                args=(per(a, b),),
            ),
            axis=None,
        )
        per = lambda a, b: tf.types.experimental.distributed.PerReplica([a, b])
        a, b = pair.values

        def second(a, b):
            with tf.GradientTape() as outer:
                outer.watch(a)
                with tf.GradientTape() as inner:
                    inner.watch([a, b])
                    y = loss(a, b)
                g = inner.gradient(y, [w, a, b])
                total = tf.reduce_sum(g[0] ** 2) + tf.reduce_sum(g[1])
            return [*g, outer.gradient(total, a)]

        found = (tf.function(second) if graph else second)(a, b)
        return np.concatenate([np.ravel(g.numpy()) for g in found]).astype(float).tolist()

    say("around", [around(two, False), around(two, True)])

    def forward(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = context().all_reduce("sum", x * x * x)
        return accumulator.jvp(y)

    inside = both(two, forward, pair)
    a, b = pair.values
    per = lambda a, b: tf.types.experimental.distributed.PerReplica([a, b])
    outside = lambda a: two.reduce(
        "SUM", two.run(lambda y: context().all_reduce("sum", tf.sin(y)) * y, args=(per(a, b),)), axis=None
    )
    pushed = []
    for f in (outside, tf.function(outside)):
        with tf.autodiff.ForwardAccumulator(a, tf.ones_like(a)) as accumulator:
            y = f(a)
        pushed.append(accumulator.jvp(y).numpy().astype(float).tolist())
    say("forward", [inside[0] + pushed[0], inside[1] + pushed[1]])
    rows = np.random.default_rng(1).normal(size=(4, 2)).astype("f")
    say(
        "rows",
        [
            np.ravel(tf.vmap(f)(tf.constant(rows)).numpy()).astype(float).tolist()
            for f in (outside, tf.function(outside))
        ],
    )

    # ---- variables

    with eight.scope():
        kept = {
            n: tf.Variable(0.0, aggregation=k)
            for n, k in (("sum", A.SUM), ("mean", A.MEAN), ("first", A.ONLY_FIRST_REPLICA))
        }
        own = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=A.SUM)
        plain = tf.Variable(1.0)

    @tf.function
    def assign():
        def f():
            number = tf.cast(context().replica_id_in_sync_group, tf.float32) + 1.0
            for v in kept.values():
                v.assign_add(number)
            own.assign_add(number)

        eight.run(f)

    assign()
    say("variables", {**{n: float(v) for n, v in kept.items()}, "each": [float(v) for v in own.values]})
    try:
        tf.function(lambda x: eight.run(lambda y: plain.assign(y), args=(x,)))(x)
    except ValueError as error:
        say("differs", str(error))
    say("after", float(plain))

    # ---- what stays on the devices, and what is exchanged

    from tapeflow.engines.xla import devices, replicas

    with two.scope():
        weights = [tf.Variable(tf.random.stateless_normal([4, 4], [k, 0]), name=f"w{k}") for k in range(6)]
        counted = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=A.SUM)
    frozen = tf.constant(np.full([4, 4], 0.5, "f"))

    @tf.function
    def train(batch):
        def step(x):
            with tf.GradientTape() as tape:
                y = tf.matmul(x, frozen)
                for w in weights:
                    y = tf.tanh(tf.matmul(y, w))
                loss = tf.reduce_sum(y)
            gradients = tape.gradient(loss, weights)
            for v, g in zip(weights, gradients):
                v.assign_sub(0.1 * context().all_reduce("sum", g))
            counted.assign_add(1.0)
            return context().all_reduce("sum", loss)

        return two.run(step, args=(batch,))

    sent, texts, before, compiled = [], [], replicas.ComeAgain._sent, devices.compiled

    def counting(self, array, to):
        sent.append(np.shape(array))
        return before(self, array, to)

    def compiling(run, *args):
        program = compiled(run, *args)

        def call(*arrays):
            texts.append(program.lower(*arrays).compile().as_text())
            return program(*arrays)

        return call

    replicas.ComeAgain._sent, devices.compiled = counting, compiling
    batch = each(two, np.random.default_rng(2).normal(size=(2, 3, 4)).astype("f"))
    losses = [train(batch).values[0].numpy().item() for _ in range(3)]
    first = len(sent)
    losses += [train(batch).values[0].numpy().item() for _ in range(3)]
    weights[0].assign(weights[0] * 0.5)  # eagerly: from the host again
    changed = len(sent)
    losses.append(train(batch).values[0].numpy().item())
    replicas.ComeAgain._sent, devices.compiled = before, compiled
    say("sent", {"later": changed - first, "assigned": len(sent) - changed})
    say("exchanges", texts[0].count(" all-reduce("))
    weights_now = [w.numpy() for w in weights]
    for k, w in enumerate(weights):
        w.assign(tf.random.stateless_normal([4, 4], [k, 0]))
    tf.config.run_functions_eagerly(True)
    turns = [train(batch).values[0].numpy().item() for _ in range(6)]
    weights[0].assign(weights[0] * 0.5)
    turns.append(train(batch).values[0].numpy().item())
    tf.config.run_functions_eagerly(False)
    say("descent", [losses, turns, max(float(abs(a - w.numpy()).max()) for a, w in zip(weights_now, weights))])

    # ---- random numbers

    def drawn():
        tf.random.set_seed(3)
        return [v.numpy().tolist() for v in tf.function(lambda: eight.run(lambda: tf.random.normal([2])))().values]

    with eight.scope():
        generator = tf.random.Generator.from_seed(1)
    distinct = lambda value: len({tuple(v.numpy().tolist()) for v in value.values})
    draws = drawn()
    say(
        "random",
        {
            "distinct": len(set(map(tuple, draws))),
            "again": draws == drawn(),
            "generators": distinct(tf.function(lambda: eight.run(lambda: generator.normal([2])))()),
            "stateless": distinct(tf.function(lambda: eight.run(lambda: tf.random.stateless_normal([2], [1, 2])))()),
        },
    )

    # ---- branches and loops

    def branch(y):
        return tf.cond(y > 3.0, lambda: context().all_reduce("sum", y), lambda: y)

    try:
        tf.function(lambda x: eight.run(branch, args=(x,)))(x)
    except RuntimeError as error:
        say("hangs", str(error))

    def loop(y):
        total = tf.constant(0.0)
        for _ in range(3):
            total += context().all_reduce("sum", y)
        return total

    say("loop", numbers(tf.function(lambda x: eight.run(loop, args=(x,)))(x)))

    # ---- by turns

    ordinary = tf.Variable(1.0)
    uneven = two.experimental_distribute_values_from_function(lambda c: tf.ones([3 - 2 * c.replica_id_in_sync_group]))
    number = lambda: context().replica_id_in_sync_group
    texts = tf.function(lambda: two.run(lambda: tf.strings.as_string(number()) + "a"))()
    tf.function(lambda: two.run(lambda: ordinary.assign_add(1.0)))()

    def printing(k):
        tf.print("", end="")
        return tf.cast(number(), tf.float32)

    say(
        "turns",
        {
            "shapes": numbers(tf.function(lambda v: two.run(tf.reduce_sum, args=(v,)))(uneven)),
            "text": [t.numpy().decode() for t in texts.values],
            "print": numbers(tf.function(lambda: two.run(printing, args=(1,)))()),
            "plain": float(ordinary),
        },
    )

    # ---- Keras

    K = tf.keras

    def trained(strategy):
        K.utils.set_random_seed(1)
        with strategy.scope():
            model = K.Sequential([K.Input((2,)), K.layers.Dense(8, "tanh"), K.layers.Dense(1)])
            model.compile(K.optimizers.Adam(0.05), "mse", metrics=["mae"])
        rng = np.random.default_rng(0)
        inputs = rng.normal(size=(20, 2)).astype("f")
        history = model.fit(
            inputs, inputs.sum(1, keepdims=True), batch_size=8, epochs=3, verbose=0, shuffle=False
        ).history
        return [
            *history["loss"],
            *history["mae"],
            *model.predict(inputs, batch_size=8, verbose=0).ravel().astype(float),
        ]

    say("keras", [trained(D.get_strategy()), trained(eight)])

    # ---- a function that reads an iterator is no graph; what its replicas do is

    said = []
    dataset = eight.experimental_distribute_dataset(tf.data.Dataset.range(48).batch(16))
    with eight.scope():
        seen = tf.Variable(0, dtype=tf.int64, aggregation=A.SUM)

    @tf.function
    def of_iterator(iterator):
        def one(batch):
            said.append(1)
            seen.assign_add(tf.reduce_sum(batch))
            return tf.reduce_sum(batch)

        return eight.reduce("SUM", eight.run(one, args=(next(iterator),)), axis=None)

    iterator = iter(dataset)
    say("iterator", [[int(of_iterator(iterator)) for _ in range(3)], len(said), int(seen)])

    # ---- many small steps, one after the other

    total = 0.0
    summed = tf.function(lambda x: eight.run(lambda y: context().all_reduce("sum", y), args=(x,)))
    for _ in range(300):
        total += float(summed(x).values[0])
    say("steps", total)
    say("jit", numbers(tf.function(lambda x: eight.run(lambda y: y * 2.0, args=(x,)), jit_compile=True)(x)))


if __name__ == "__main__":
    main()
