"""TensorFlow's XLA: jit_compile=True turns a model into one compiled program, as transformers 4 last had it."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"  # transformers' TensorFlow models are Keras 2.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

# --8<-- [start:jit]
import tensorflow as tf
from transformers import BertConfig, TFBertForMaskedLM

Compiled = tf.types.experimental.PolymorphicFunction


def compiled(model: TFBertForMaskedLM) -> Compiled:
    @tf.function(jit_compile=True)
    def logits(input_ids: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        return model(input_ids, attention_mask=mask).logits

    return logits


# --8<-- [end:jit]
# --8<-- [start:pad]
def pad(
    input_ids: tf.Tensor, multiple: int = 64
) -> tuple[tf.Tensor, tf.Tensor]:
    # Every new shape is compiled anew: pad to a multiple.
    padding = [[0, 0], [0, -input_ids.shape[1] % multiple]]
    # Attention must not see the padding: the mask is 0 there.
    mask = tf.pad(tf.ones_like(input_ids), padding)
    return tf.pad(input_ids, padding), mask


# --8<-- [end:pad]
def tiny_model() -> TFBertForMaskedLM:
    """A BERT of random weights, the same at every call; nothing is downloaded."""
    tf.keras.utils.set_random_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = TFBertForMaskedLM(BertConfig(vocab_size=256, **sizes))
    model.build_in_name_scope()  # Else the first call under tf.function, which makes the weights, is traced twice.
    return model


def tokens(rows: int = 2, length: int = 16) -> tf.Tensor:
    return tf.random.stateless_uniform((rows, length), seed=(0, 0), maxval=256, dtype=tf.int32)


def program(model: TFBertForMaskedLM, input_ids: tf.Tensor) -> str:
    """The program in XLA's own language, before its optimizations."""
    return compiled(model).experimental_get_compiler_ir(input_ids, tf.ones_like(input_ids))(stage="hlo")


def largest_difference(ours: tf.Tensor, theirs: tf.Tensor) -> float:
    return float(tf.reduce_max(tf.abs(ours - theirs)))


def main() -> None:
    model = tiny_model()
    logits, padded = compiled(model), compiled(model)
    row = tokens(2, 17)
    expected = model(row).logits
    difference = largest_difference(logits(row, tf.ones_like(row)), expected)
    print(f"TensorFlow {tf.__version__}: largest difference of the logits {difference:.4f}")
    print(f"It is a program of XLA: {program(model, tokens()).startswith('HloModule')}")
    for length in (16, 33, 50):
        logits(tokens(2, length), tf.ones((2, length), tf.int32))
    print(f"Compiled for 4 lengths: {logits.experimental_get_tracing_count()} programs")
    for length in (16, 33, 50):
        padded(*pad(tokens(2, length)))
    ids, mask = pad(row)
    difference = largest_difference(padded(ids, mask)[:, :17], expected)
    print(f"The same lengths padded to 64: {padded.experimental_get_tracing_count()} program", end=", ")
    print(f"largest difference of the logits {difference:.4f}")
    difference = largest_difference(padded(ids, tf.ones_like(mask))[:, :17], expected)
    print(f"Padded without a mask: largest difference {difference:.4f}")


if __name__ == "__main__":
    main()
