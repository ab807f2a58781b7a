"""The shapes of what comes of nothing: operations on tensors with a size of 0. All are TensorFlow's, by running it."""

import pytest

import tapeflow as tf

# call | shape of x: shapes of the results; next shape of x: …   ("." is a scalar)
TABLE = """
argsort(x) | 0x3: 0x3; 3x0: 3x0
sort(x) | 0x3: 0x3; 3x0: 3x0
cumsum(x) | 0x3: 0x3; 3x0: 3x0
math.cumprod(x) | 0x3: 0x3; 3x0: 3x0
math.cumulative_logsumexp(x) | 0x3: 0x3; 3x0: 3x0
nn.softmax(x) | 0x3: 0x3; 3x0: 3x0
nn.log_softmax(x) | 0x3: 0x3; 3x0: 3x0
reverse(x,[0]) | 0x3: 0x3; 3x0: 3x0
roll(x,1,0) | 0x3: 0x3; 3x0: 3x0
unique(tf.reshape(x,[-1])) | 0x3: 0 0; 3x0: 0 0
where(x>0) | 0x3: 0x2; 3x0: 0x2
size(x) | 0x3: .; 3x0: .
stack([x,x]) | 0x3: 2x0x3; 3x0: 2x3x0
concat([x,x],0) | 0x3: 0x3; 3x0: 6x0
tile(x,[2]*len(x.shape)) | 0x3: 0x6; 3x0: 6x0
expand_dims(x,0) | 0x3: 1x0x3; 3x0: 1x3x0
squeeze(x) | 0x3: 0x3; 3x0: 3x0
transpose(x) | 0x3: 3x0; 3x0: 0x3
pad(x,[[1,1]]*len(x.shape)) | 0x3: 2x5; 3x0: 5x2
math.l2_normalize(x) | 0x3: 0x3; 3x0: 3x0
linalg.normalize(x) | 0x3: 0x3 1x1; 3x0: 3x0 1x1
norm(x) | 0x3: .; 3x0: .
nn.l2_loss(x) | 0x3: .; 3x0: .
nn.moments(x,[0]) | 0x3: 3 3; 3x0: 0 0
math.bincount(tf.cast(x,tf.int32)) | 0x3: 0; 3x0: 0
math.top_k(x,0) | 0x3: 0x0 0x0; 3x0: 3x0 3x0
argmax(x,-1) | 0x3: 0; 2x0x3: 2x0
math.count_nonzero(x) | 0x3: .; 3x0: .
nn.zero_fraction(x) | 0x3: .; 3x0: .
gather(x,tf.zeros([0],tf.int32)) | 0x3: 0x3; 3x0: 0x0
gather_nd(x,tf.zeros([0,1],tf.int32)) | 0x3: 0x3; 3x0: 0x0
boolean_mask(x,x>0) | 0x3: 0; 3x0: 0
one_hot(tf.cast(x,tf.int32),3) | 0x3: 0x3x3; 3x0: 3x0x3
repeat(x,2) | 0x3: 0; 3x0: 0
repeat(x,2,0) | 0x3: 0x3; 3x0: 6x0
math.segment_sum(x,tf.zeros([x.shape[0]],tf.int32)) | 0x3: 0x3; 3x0: 1x0
math.unsorted_segment_max(x,tf.zeros([x.shape[0]],tf.int32),2) | 0x3: 2x3; 3x0: 2x0
math.unsorted_segment_mean(x,tf.zeros([x.shape[0]],tf.int32),2) | 0x3: 2x3; 3x0: 2x0
split(x,1) | 0x3: 0x3; 3x0: 3x0
dynamic_partition(x,tf.zeros([x.shape[0]],tf.int32),2) | 0x3: 0x3 0x3; 3x0: 3x0 0x0
clip_by_norm(x,1.) | 0x3: 0x3; 3x0: 3x0
clip_by_value(x,0.,1.) | 0x3: 0x3; 3x0: 3x0
linalg.global_norm([x]) | 0x3: .; 3x0: .
clip_by_global_norm([x],1.) | 0x3: 0x3 .; 3x0: 3x0 .
math.reduce_max(x,keepdims=True) | 0x3: 1x1; 3x0: 1x1
histogram_fixed_width(x,[0.,1.],3) | 0x3: 3; 3x0: 3
searchsorted(x,x) | 0x3: 0x3; 3x0: 3x0
nn.dropout(x,0.5) | 0x3: 0x3; 3x0: 3x0
tensordot(x,x,[[0],[0]]) | 0x3: 3x3; 3x0: 0x0
add_n([x,x]) | 0x3: 0x3; 3x0: 3x0
math.accumulate_n([x,x]) | 0x3: 0x3; 3x0: 3x0
sequence_mask(tf.cast(x,tf.int32)) | 0x3: 0x3x0; 3x0: 3x0x0
math.is_strictly_increasing(x) | 0x3: .; 3x0: .
linspace(x,x,3) | 0x3: 3x0x3; 3x0: 3x3x0
meshgrid(tf.reshape(x,[-1]),[1.,2.]) | 0x3: 2x0 2x0; 3x0: 2x0 2x0
broadcast_to(x,[2,*x.shape]) | 0x3: 2x0x3; 3x0: 2x3x0
nn.softmax_cross_entropy_with_logits(x,x) | 0x3: 0; 3x0: 3
nn.sparse_softmax_cross_entropy_with_logits(tf.zeros(x.shape[:-1],tf.int32),x) | 0x3: 0; 2x0x3: 2x0
signal.fft(tf.cast(x,tf.complex64)) | 0x3: 0x3; 3x0: 3x0
bitcast(x,tf.int32) | 0x3: 0x3; 3x0: 3x0
strings.as_string(x) | 0x3: 0x3; 3x0: 3x0
math.erf(x) | 0x3: 0x3; 3x0: 3x0
math.igamma(x,x) | 0x3: 0x3; 3x0: 3x0
tensor_scatter_nd_update(x,tf.zeros([0,1],tf.int32),tf.zeros([0,*x.shape[1:]])) | 0x3: 0x3; 3x0: 3x0
math.polyval([x,x],x) | 0x3: 0x3; 3x0: 3x0
math.cumsum(x,exclusive=True,reverse=True) | 0x3: 0x3; 3x0: 3x0
unstack(x) | 3x0: 0 0 0; 2x0x3: 0x3 0x3
argmax(x) | 3x0: 0; 2x0x3: 0x3
split(x,2,-1) | 3x0: 3x0 3x0
signal.dct(x) | 3x0: 3x0
linalg.det(x) | 0x0: .; 0x2x2: 0
linalg.slogdet(x) | 0x0: . .; 0x2x2: 0 0
linalg.inv(x) | 0x0: 0x0; 0x2x2: 0x2x2
linalg.cholesky(x) | 0x0: 0x0; 0x2x2: 0x2x2
linalg.qr(x) | 0x0: 0x0 0x0; 0x3: 0x0 0x3
linalg.qr(x,full_matrices=True) | 0x0: 0x0 0x0; 0x3: 0x0 0x3
linalg.svd(x) | 0x0: 0 0x0 0x0; 0x3: 0 0x0 3x0
linalg.svd(x,full_matrices=True) | 0x0: 0 0x0 0x0; 0x3: 0 0x0 3x3
linalg.svd(x,compute_uv=False) | 0x0: 0; 0x3: 0
linalg.eigh(x) | 0x0: 0 0x0; 0x2x2: 0x2 0x2x2
linalg.eigvalsh(x) | 0x0: 0; 0x2x2: 0x2
linalg.eig(x) | 0x0: 0 0x0; 0x2x2: 0x2 0x2x2
linalg.lu(x) | 0x0: 0x0 0; 0x2x2: 0x2x2 0x2
linalg.solve(x,x) | 0x0: 0x0; 0x2x2: 0x2x2
linalg.triangular_solve(x,x) | 0x0: 0x0; 0x2x2: 0x2x2
linalg.expm(x) | 0x0: 0x0; 0x2x2: 0x2x2
linalg.sqrtm(x) | 0x0: 0x0; 0x2x2: 0x2x2
linalg.pinv(x) | 0x0: 0x0; 0x3: 3x0
linalg.lstsq(x,x) | 0x0: 0x0; 0x3: 3x3
linalg.lstsq(x,x,fast=False) | 0x0: 0x0; 0x3: 3x3
linalg.matrix_rank(x) | 0x0: .; 0x3: .
linalg.trace(x) | 0x0: .; 0x3: .
linalg.diag_part(x) | 0x0: 0; 0x3: 0
linalg.diag(x) | 0x0: 0x0x0; 0x3: 0x3x3
linalg.logdet(x) | 0x0: .; 0x2x2: 0
linalg.matvec(x,tf.zeros(x.shape[:-2]+x.shape[-1:])) | 0x0: 0; 0x3: 0
matmul(x,x,transpose_b=True) | 0x0: 0x0; 0x3: 0x0
linalg.adjoint(x) | 0x0: 0x0; 0x3: 3x0
norm(x,ord=1,axis=[-2,-1]) | 0x0: .; 0x3: .
norm(x,ord=2,axis=[-2,-1]) | 0x0: .; 0x3: .
norm(x,axis=[-2,-1]) | 0x0: .; 0x3: .
linalg.set_diag(x,tf.linalg.diag_part(x)) | 0x0: 0x0; 0x3: 0x3
linalg.tensor_diag(x) | 0x0: 0x0x0x0; 0x3: 0x3x0x3
einsum('...ij,...kj->...ik',x,x) | 0x0: 0x0; 0x3: 0x0
signal.rfft2d(x) | 0x0: 0x0; 0x3: 0x2
linalg.cross(x,x) | 0x3: 0x3; 2x0x3: 2x0x3
linalg.band_part(x,1,1) | 0x2x2: 0x2x2
reshape(x, [0, -1]) | 0x3: 0x3; 2x0x4: 0x8
signal.rfft(x) | 3x0: 3x0; 0x4: 0x3
signal.rfft2d(x) | 6x0: 6x0; 0x6: 0x4
map_fn(lambda row: row * 2, x) | 0x2: 0
scan(lambda total, row: total + row, x, tf.zeros([2])) | 0x2: 0x2
"""


def shape_of(text):
    return () if text == "." else tuple(map(int, text.split("x")))


CASES = [
    (call.strip(), shape_of(x.strip()), [shape_of(s) for s in found.split()])
    for call, cases in (line.split(" | ") for line in TABLE.strip().splitlines())
    for x, found in (case.split(":") for case in cases.split(";"))
]


@pytest.mark.parametrize("call,shape,expected", CASES)
def test_shapes(call, shape, expected):
    f = eval(f"lambda x: tf.{call}", {"tf": tf})
    assert [tuple(t.shape) for t in tf.nest.flatten(f(tf.zeros(shape)))] == expected
