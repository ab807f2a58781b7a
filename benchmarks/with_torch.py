"""PyTorch, eager and compiled, on the GPU if it sees one. Images are (batch, channel, height, width), its own order;
on a GPU their memory has the channels last, as PyTorch advises.

In the variant "library" what is written out elsewhere, attention and the LSTM, is the library's fused routine.
"""

import os

import torch
import torch.nn.functional as F
import workloads as w

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cuda":
    tf32 = os.environ.get("BENCH_TF32") == "1"
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True  # looks for the fastest convolution, as XLA does
    freed = torch.cuda.empty_cache


def library(f):
    return f


VARIANTS = {"eager": lambda f: f, "compile": torch.compile, "library": library}
LIBRARY = {"transformer", "lstm"}


def tensor(array):
    dtype = getattr(torch, w.Now.dtype) if array.dtype == "float32" else torch.int64
    made = torch.tensor(array).to(DEVICE, dtype)
    return made.to(memory_format=torch.channels_last) if DEVICE == "cuda" and made.ndim == 4 else made


def leaf(array):
    return tensor(array).requires_grad_()


def square(wrap):
    v = leaf(w.square())
    return lambda: float(torch.autograd.grad(v**2, v)[0])


def chain(wrap):
    x = leaf(w.chain())

    def step():
        y = x
        for _ in range(w.CHAIN):
            y = torch.sin(y) * y
        return torch.autograd.grad(y, x, torch.ones_like(y))[0]

    return lambda: float(step().numpy()[0])


def sgd(wrap, loss_of, arrays):
    """What is compiled is the loss, and with it its gradient: the step itself cannot be, as it asks for the
    gradient."""
    loss_of = wrap(loss_of)
    params = [a if torch.is_tensor(a) else leaf(a) for a in arrays]

    def step():
        loss = loss_of(*params)
        gradients = torch.autograd.grad(loss, params)
        with torch.no_grad():
            for p, g in zip(params, gradients):
                p.sub_(g, alpha=w.Now.rate)
        return loss.detach()

    return w.Step(step)


def mlp(wrap):
    return dense(wrap, w.mlp())


def small_mlp(wrap):
    return dense(wrap, w.small_mlp())


def dense(wrap, data):
    x, labels = tensor(data["x"]), tensor(data["labels"])

    def loss(w1, b1, w2, b2, w3, b3):
        h = torch.relu(x @ w1 + b1)
        h = torch.relu(h @ w2 + b2)
        return F.cross_entropy(h @ w3 + b3, labels)

    return sgd(wrap, loss, data["params"])


def cnn(wrap):
    data = w.cnn()
    x, labels = tensor(data["x"].transpose(0, 3, 1, 2).copy()), tensor(data["labels"])
    arrays = [a.transpose(3, 2, 0, 1).copy() if a.ndim == 4 else a for a in data["params"]]
    # the dense layer's rows in the order of this layout
    side = data["side"]
    arrays[-2] = arrays[-2].reshape(side, side, -1, 10).transpose(2, 0, 1, 3).reshape(-1, 10).copy()

    def loss(k1, b1, k2, b2, k3, b3, w4, b4):
        h = x
        for k, b in ((k1, b1), (k2, b2), (k3, b3)):
            h = F.max_pool2d(torch.relu(F.conv2d(h, k, b, padding=1)), 2)
        return F.cross_entropy(h.flatten(1) @ w4 + b4, labels)

    return sgd(wrap, loss, arrays)


def lstm(wrap):
    data = w.lstm()
    if wrap is library:
        return lstm_by_library(wrap, data)
    steps, zero = [tensor(x) for x in data["x"]], tensor(data["h"])

    def loss(wx, wh, b):
        h = c = zero
        for x in steps:
            i, f, g, o = (x @ wx + h @ wh + b).chunk(4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return (h * h).mean()

    return sgd(wrap, loss, data["params"])


def lstm_by_library(wrap, data):
    """cuDNN's on a GPU. It has its matrices the other way round, and a second bias, which stays zero."""
    x, (wx, wh, b) = tensor(data["x"]), data["params"]
    module = torch.nn.LSTM(x.shape[-1], wh.shape[0], device=DEVICE, dtype=x.dtype)
    with torch.no_grad():
        for parameter, array in zip(module.parameters(), (wx.T, wh.T, b, 0 * b)):
            parameter.copy_(tensor(array))
    module.bias_hh_l0.requires_grad_(False)

    def loss(*_):
        out, _ = module(x)
        return (out[-1] * out[-1]).mean()

    return sgd(wrap, loss, list(module.parameters())[:3])


def transformer(wrap):
    data = w.transformer()
    x = tensor(data["x"])
    batch, length, width = x.shape

    def heads(t):
        return t.reshape(batch, length, data["heads"], -1).transpose(1, 2)

    def attended(q, k, v):
        return torch.softmax(q @ k.transpose(2, 3) * (width // data["heads"]) ** -0.5, dim=-1) @ v

    if wrap is library:
        attended = F.scaled_dot_product_attention

    def loss(scale1, shift1, qkv, out, scale2, shift2, up, down):
        q, k, v = (heads(t) for t in (F.layer_norm(x, (width,), scale1, shift1) @ qkv).chunk(3, dim=-1))
        mixed = attended(q, k, v).transpose(1, 2).reshape(batch, length, width)
        y = x + mixed @ out
        y = y + F.gelu(F.layer_norm(y, (width,), scale2, shift2) @ up) @ down
        return (y * y).mean()

    return sgd(wrap, loss, data["params"])


def embedding(wrap):
    data = w.embedding()
    table, weight = leaf(data["table"]), torch.tensor(data["w"])
    ids, target = torch.tensor(data["ids"]).long(), torch.tensor(data["target"])

    def step():
        mean = F.embedding(ids, table, sparse=True).mean(dim=1)
        loss = ((mean @ weight - target) ** 2).mean()
        (g,) = torch.autograd.grad(loss, table)
        with torch.no_grad():
            table.add_(g, alpha=-w.RATE)
        return loss

    return lambda: step().item()


def small_net():
    data = w.small_net()

    def net(params, x):
        w1, b1, w2, b2, w3, b3 = params
        return torch.tanh(torch.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3

    return torch.tensor(data["x"]), [torch.tensor(p) for p in data["params"]], net


def batch_jacobian(wrap):
    x, params, net = small_net()
    step = torch.func.vmap(torch.func.jacrev(lambda x: net(params, x)))
    return lambda: float(step(x)[3, 2, 1])


def weight_jacobian(wrap):
    x, params, net = small_net()
    step = torch.func.jacrev(lambda params: net(params, x))
    return lambda: float(step(params)[0][3, 2, 1, 0])


def hvp(wrap):
    """Reverse over reverse: three times faster here than torch.func.jvp of torch.func.grad."""
    x, params, net = small_net()
    params = [p.requires_grad_() for p in params]
    direction = [torch.ones_like(p) for p in params]

    def step():
        gradients = torch.autograd.grad((net(params, x) ** 2).sum(), params, create_graph=True)
        return torch.autograd.grad(gradients, params, direction)

    return lambda: float(step()[0][3, 2])


def per_example(wrap):
    data = w.per_example()
    x, labels = torch.tensor(data["x"].transpose(0, 3, 1, 2).copy()), torch.tensor(data["labels"]).long()
    arrays = [a.transpose(3, 2, 0, 1).copy() if a.ndim == 4 else a for a in data["params"]]
    arrays[4] = arrays[4].reshape(2, 2, 32, 10).transpose(2, 0, 1, 3).reshape(-1, 10).copy()
    params = [torch.tensor(a) for a in arrays]

    def loss(params, x, label):
        k1, b1, k2, b2, w3, b3 = params
        h = F.pad(x[None], (0, 1, 0, 1))  # as the others pad: 28 pixels at their end, 7 on both sides
        h = F.max_pool2d(torch.relu(F.conv2d(h, k1, b1, stride=2)), 2)
        h = F.max_pool2d(torch.relu(F.conv2d(h, k2, b2, stride=2, padding=1)), 2)
        return F.cross_entropy(h.flatten(1) @ w3 + b3, label[None])

    step = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: float(step(params, x, labels)[0][5, 3, 0, 1, 1])


def memory(wrap, data):
    x, params = torch.tensor(data["x"]), [leaf(p) for p in data["params"]]

    def step():
        h = x
        for weight, bias in zip(params[::2], params[1::2]):
            h = torch.relu(h @ weight + bias)
        return torch.autograd.grad(h.mean(), params)

    return lambda: step()[0].numpy()
