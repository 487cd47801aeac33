"""TensorFlow on a TPU, as it last worked with transformers 4: a strategy, and shapes that never change."""

# --8<-- [start:strategy]
import os

# transformers' TensorFlow models are Keras 2.
os.environ["TF_USE_LEGACY_KERAS"] = "1"

import tensorflow as tf
from transformers import BertConfig, TFBertForSequenceClassification


def choose_strategy() -> tf.distribute.Strategy:
    cluster = tf.distribute.cluster_resolver
    try:
        # "local" on a TPU VM, the name of the node elsewhere.
        resolver = cluster.TPUClusterResolver("local")
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        return tf.distribute.TPUStrategy(resolver)
    except (ValueError, tf.errors.NotFoundError):
        return tf.distribute.get_strategy()  # no TPU here


# --8<-- [end:strategy]
def rows(count: int = 40, longest: int = 16) -> tuple[list[list[int]], list[int]]:
    """Rows of random lengths; the label says whether the first token is in the upper half."""
    lengths = tf.random.stateless_uniform((count,), (0, 1), 4, longest + 1, tf.int32).numpy()
    tokens = tf.random.stateless_uniform((count, longest), (0, 2), 1, 64, tf.int32).numpy()
    lists = [row[:length].tolist() for row, length in zip(tokens, lengths, strict=True)]
    return lists, [int(row[0] >= 32) for row in lists]


# --8<-- [start:shapes]
def dataset(tokens, labels, fixed: bool = True) -> tf.data.Dataset:
    def add_mask(row, label):
        row = tf.convert_to_tensor(row)
        # Without its mask, the padding is read as text.
        mask = tf.ones_like(row)
        return {"input_ids": row, "attention_mask": mask}, label

    ragged = tf.ragged.constant(tokens)
    data = tf.data.Dataset.from_tensor_slices((ragged, labels))
    # Pad all rows to one length; a TPU refuses another shape.
    length = [16 if fixed else None]
    shapes = {"input_ids": length, "attention_mask": length}
    return data.map(add_mask).padded_batch(
        8, padded_shapes=(shapes, []), drop_remainder=fixed
    )


# --8<-- [end:shapes]
# --8<-- [start:train]
def train(strategy, config: BertConfig, data, epochs: int = 5):
    with strategy.scope():
        model = TFBertForSequenceClassification(config)
        # The model has its own loss. A TPU compiles everything by itself,
        # and `jit_compile` gets in its way; elsewhere it tries XLA out.
        on_tpu = isinstance(strategy, tf.distribute.TPUStrategy)
        model.compile(
            optimizer=tf.keras.optimizers.Adam(1e-2),
            jit_compile=not on_tpu,
        )
    history = model.fit(data, epochs=epochs, verbose=0)
    return history.history["loss"]


# --8<-- [end:train]
def tiny_config() -> BertConfig:
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    return BertConfig(vocab_size=64, **sizes)


def main() -> None:
    tf.keras.utils.set_random_seed(0)
    strategy = choose_strategy()
    print(f"TensorFlow {tf.__version__}: {type(strategy).__name__}, {strategy.num_replicas_in_sync} replica")
    for fixed in (True, False):
        shapes = {tuple(inputs["input_ids"].shape) for inputs, _ in dataset(*rows(), fixed)}
        print(f"Shapes that are compiled, {'fixed' if fixed else 'as the rows come'}: {len(shapes)}")
    losses = train(strategy, tiny_config(), dataset(*rows()))
    print(f"The loss falls: {losses[-1] < losses[0]}")


if __name__ == "__main__":
    main()
