"""The least bytes that one device has to send in a step of a shared program, done in the way that its annotations ask for. A plan that sends
less has found another way.

    least(name) -> (bytes, formula) or None

Letters: n devices along `data` (or the only axis), m along `model`; f(k) = (k-1)/k; s bytes of an element; L layers, D width, V words, T
tokens, B rows of the batch. An all_gather or reduce_scatter of b bytes sends f(k) b from each device, an all_reduce 2 f(k) b, an all_to_all of
b bytes a device f(k) b (REFERENCE: Thakur, Rabenseifner, Gropp 2005).

  P  bytes of the parameters that a device holds of its place along `model`: L (12 D^2 + 7 D) + V D over m, and L 6 D + T D + 2 D whole
  A  bytes of the activations of one place along `data`: B/n T D s

Training steps:
  data parallel, FSDP   2 f(n) P: each gradient is summed, or each parameter gathered and its gradient scattered. In a loop over
                        layers a parameter that is gathered for the forward pass is gathered again for the backward pass, for nobody could
                        hold all of them: 3 f(n) P of the layers.
  tensor parallel       2 f(m) A for each sum: two forward and two backward in a layer, the embedding, the logits' gradient; with layers computed
                        twice (remat) the attention's sum again. Three numbers a token for the softmax over the words.
  sequence parallel     each sum's two halves, or, where that is less: the weights gathered and their gradients scattered instead,
                        and around attention, which needs all tokens of a row, the activations going from tokens to rows and back by all_to_all.
                        In a loop over layers what a product read in the forward pass is stored in parts for the backward pass, as the annotations
                        cut it (whole, it would be m times what the loop holds), and is gathered again for the weight's gradient: two gathers a layer
                        more (Korthikanti et al. 2022, 4.2.2, make the same one). Layers that are computed twice have it from the second time.
"""
import re

GPT = {  # name: L, D, V, T, B, s
    "gpt_s": (2, 64, 128, 16, 8, 4),
    "gpt2": (12, 768, 50304, 1024, 32, 4),
    "gpt2xl": (48, 1600, 50304, 1024, 64, 4),
    "gpt3": (96, 12288, 50304, 2048, 512, 2),
    "bert_large": (24, 1024, 30528, 128, 64, 4),
}
MESH = {  # name: n, (n, m) with model
    "gpt_s": (8, (2, 4)),
    "gpt2": (8, (2, 4)),
    "gpt2xl": (64, (16, 4)),
    "gpt3": (512, (64, 8)),
    "bert_large": (8, None),
}


def f(k):
    return (k - 1) / k


def transformer(model, scan, strategy):
    layers, width, words, tokens, rows, s = GPT[model]
    n, m = (MESH[model][0], 1) if strategy in ("dp", "fsdp") else MESH[model][1]
    remat = scan and model != "gpt_s"
    cut = layers * (12 * width**2 + 7 * width)
    whole = layers * 6 * width
    # bert has no last normalisation, and what it holds of its parameters is summed even so: zeros are not known to be
    rest = (words * width) / m + tokens * width + 2 * width
    layer_bytes = s * (cut / m + whole)
    total = 2 * f(n) * (layer_bytes + s * rest)
    formula = "2 f(n) P"
    if scan and strategy.startswith("fsdp"):
        total += f(n) * layer_bytes
        formula = "3 f(n) P_layers + 2 f(n) P_rest"
    total += 2 * f(n) * 4  # the loss
    act = rows / n * tokens * width * s
    numbers = 3 * 2 * f(m) * rows / n * tokens * 4
    if strategy in ("tp", "fsdp_tp"):
        sums = (5 if remat else 4) * layers + 2
        total += sums * 2 * f(m) * act + numbers
        formula += f" + {sums} x 2 f(m) A + 3 numbers a token"
    if strategy == "tp_sp":
        again, more = (1 if remat else 0), (1 if scan else 0)
        stored = more - again  # gathered for the backward pass once more
        weights = (2 + more) * f(m) * width**2 * s
        into = min((2 + again + stored) * f(m) * act, 3 * weights + (2 + again) * f(m) * act / m)
        out = min((2 + again) * f(m) * act, weights + (2 + again) * f(m) * act / m)
        mlp = min((4 + again + stored) * f(m) * act, 8 * weights)
        total += layers * (into + out + mlp) + 4 * f(m) * act + numbers
        formula += " + L (least of pairs and weights, for qkv, o, mlp) + 4 f(m) A + 3 numbers a token"
    return total, formula


OTHERS = {
    "mlp_tp": (2 * f(8) * 64 * 128 * 4, "2 f(n) y: the second product's sum"),
    "mlp_dp_tp": (2 * f(2) * (2 * 128 * 256 * 4 / 4 + 4) + 2 * f(4) * 32 * 128 * 4, "2 f(n) (P + loss) + 2 f(m) y"),
    "mlp_zero3": (f(8) * (2 * 64 * 128 * 4 + 64 * 256 * 4) + 2 * f(8) * 4, "f(n) (x + y + h) + 2 f(n) loss: activations change places, weights stay"),
    "ring_attention": (8 * 2 * 2 * 8 * 4 * 16 * 4, "8 turns of k and v, as written"),
    "pipeline": (23 * 4 * 32 * 4 + 2 * f(8) * 16 * 4 * 32 * 4, "23 turns of a micro-batch + 2 f(n) out, as written"),
}


def least(name):
    if name in OTHERS:
        return OTHERS[name]
    match = re.fullmatch(r"(gpt_s|gpt2xl|gpt2|gpt3|bert_large)(_scan)?_(dp|fsdp|tp|fsdp_tp|tp_sp)", name)
    return transformer(match[1], bool(match[2]), match[3]) if match else None
