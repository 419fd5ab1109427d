"""Keep a fitted AIF360 transformer beyond its TensorFlow session, and take it up again in another process."""

from contextlib import contextmanager

import tensorflow.compat.v1 as tf


def keep(transformer):
    """Return the graph, the values of its variables and the transformer's attributes, all fit for pickling."""
    session = transformer.sess
    with session.graph.as_default():
        graph = tf.train.export_meta_graph().SerializeToString()
        values = session.run({variable.name: variable for variable in tf.global_variables()})
    attributes = {name: value for name, value in vars(transformer).items() if name != "sess"}
    tensors = {name: value.name for name, value in attributes.items() if isinstance(value, tf.Tensor)}
    others = {name: value for name, value in attributes.items() if name not in tensors}
    return {"class": type(transformer), "graph": graph, "values": values, "tensors": tensors, "others": others}


@contextmanager
def take_up(kept):
    """Give the transformer as it was when it was kept, in a session of its own."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(tf.MetaGraphDef.FromString(kept["graph"]))
        for variable in tf.global_variables():
            variable.load(kept["values"][variable.name], session)
        transformer = object.__new__(kept["class"])
        vars(transformer).update(kept["others"], sess=session)
        vars(transformer).update({name: graph.get_tensor_by_name(at) for name, at in kept["tensors"].items()})
        yield transformer
