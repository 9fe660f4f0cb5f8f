"""Programs over libraries of JAX's field, on Weft and on JAX's cpu in one process, with equal results.

    pip install numpyro blackjax diffrax optimistix lineax jaxopt dm-haiku flax optax equinox jraph distrax dynamax mctx ott-jax tinygp pgx
        e3nn-jax jaxley interpax flowjax gpjax evosax scico keras jumanji gymnax
    WEFT_PJRT_LIBRARY=build/.libs/libweft_pjrt.so python tests/pjrt/run_libraries.py [CASE...]

A case whose library is missing is skipped and named. Each returns arrays, which are compared: integers exactly, floats within --rtol of their
size. Chains of random draws are compared by their first elements: rounding makes long ones differ. Exit status 1: a case failed.
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'python'))
os.environ.setdefault('JAX_PLATFORMS', 'weft,cpu')

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def numbers(seed, *shape):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def trained(loss, parameters, optimizer, steps=8):
    """The losses of some steps; loss takes the parameters and a key."""
    import optax
    state = optimizer.init(parameters)

    @jax.jit
    def step(p, s, key):
        value, grad = jax.value_and_grad(loss)(p, key)
        update, s = optimizer.update(grad, s, p)
        return optax.apply_updates(p, update), s, value

    losses = []
    for i in range(steps):
        parameters, state, value = step(parameters, state, jax.random.key(i))
        losses.append(value)
    return jnp.stack(losses)


# ---- probabilistic programs ----

@case
def numpyro_svi():
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import SVI, Trace_ELBO
    from numpyro.infer.autoguide import AutoNormal
    x = jnp.linspace(-1, 1, 40)

    def model(x, y):
        a, b = numpyro.sample('a', dist.Normal(0, 2)), numpyro.sample('b', dist.Normal(0, 2))
        numpyro.sample('y', dist.Normal(a * x + b, 0.2), obs=y)

    guide = AutoNormal(model)
    svi = SVI(model, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
    result = svi.run(jax.random.PRNGKey(1), 100, x, 2 * x + 0.5, progress_bar=False)
    return result.losses[-5:], guide.median(result.params)['a']


@case
def numpyro_nuts():
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

    def model():
        numpyro.sample('x', dist.MultivariateNormal(jnp.zeros(3), jnp.eye(3) + 0.5))

    chain = MCMC(NUTS(model, step_size=0.3, adapt_step_size=False, adapt_mass_matrix=False), num_warmup=0, num_samples=20, progress_bar=False)
    chain.run(jax.random.PRNGKey(0))
    return chain.get_samples()['x'][:5]


@case
def blackjax_nuts():
    import blackjax
    nuts = blackjax.nuts(lambda x: -0.5 * ((x - 1) ** 2).sum(), 0.1, jnp.ones(3))

    def step(state, key):
        state, _ = nuts.step(key, state)
        return state, state.position

    return jax.jit(lambda s, k: jax.lax.scan(step, s, k)[1])(nuts.init(jnp.zeros(3)), jax.random.split(jax.random.PRNGKey(0), 20))


@case
def dynamax_models():
    from dynamax.hidden_markov_model import GaussianHMM
    from dynamax.linear_gaussian_ssm import LinearGaussianSSM
    kalman, hmm = LinearGaussianSSM(2, 3), GaussianHMM(3, 2)
    p, _ = kalman.initialize(jax.random.PRNGKey(0))
    _, seen = kalman.sample(p, jax.random.PRNGKey(1), 30)
    q, _ = hmm.initialize(jax.random.PRNGKey(0))
    states = hmm.smoother(q, seen[:, :2])
    return kalman.smoother(p, seen).smoothed_means, states.marginal_loglik, states.smoothed_probs, hmm.most_likely_states(q, seen[:, :2])


@case
def distrax_distributions():
    import distrax
    d = distrax.MultivariateNormalTri(jnp.zeros(3), jnp.eye(3) + 0.1 * jnp.tril(jnp.ones((3, 3)), -1))
    spline = distrax.RationalQuadraticSpline(numbers(1, 25), -3.0, 3.0)
    return (d.log_prob(numbers(2, 10, 3)), spline.forward_and_log_det(jnp.linspace(-2.5, 2.5, 11)),
            distrax.Gamma(2.0, 3.0).log_prob(jnp.linspace(0.1, 2, 5)), distrax.VonMises(0.0, 2.0).sample(seed=jax.random.key(0), sample_shape=(4,)))


@case
def tinygp_likelihoods():
    import tinygp
    x = jnp.linspace(0, 10, 40)

    def likelihood(t):
        kernel = jnp.exp(t[1]) * tinygp.kernels.quasisep.Matern32(jnp.exp(t[0]))
        return tinygp.GaussianProcess(kernel, x, diag=0.5).log_probability(jnp.sin(x))

    return jax.jit(jax.value_and_grad(likelihood))(jnp.array([0.1, 0.2]))


# ---- equations and minima ----

@case
def diffrax_adaptive():
    """Its steps stop a hundred numbers short of the end, found one by one: a long computation of constants."""
    import diffrax as dx

    def end(k):
        control = dx.PIDController(rtol=1e-3, atol=1e-3)
        return dx.diffeqsolve(dx.ODETerm(lambda t, y, a: -a * y), dx.Tsit5(), 0, 1, 0.05, jnp.array([1.0, 2.0]), args=k, stepsize_controller=control).ys

    return jax.jit(jax.value_and_grad(lambda k: (end(k) ** 2).sum()))(jnp.float32(0.7))


@case
def diffrax_stiff_and_noisy():
    import diffrax as dx
    noise = dx.VirtualBrownianTree(0, 1, tol=1e-2, shape=(), key=jax.random.PRNGKey(0))
    terms = dx.MultiTerm(dx.ODETerm(lambda t, y, a: -y), dx.ControlTerm(lambda t, y, a: 0.1 * t, noise))
    stiff = dx.ODETerm(lambda t, y, a: jnp.stack([-50 * y[0] + y[1], y[0] - y[1]]))
    control = dx.PIDController(rtol=1e-4, atol=1e-5)
    return (dx.diffeqsolve(terms, dx.Euler(), 0, 1, 0.05, 1.0).ys,
            dx.diffeqsolve(stiff, dx.Kvaerno5(), 0, 1, 1e-2, jnp.array([1.0, 0.5]), stepsize_controller=control).ys)


@case
def optimistix_and_lineax():
    import lineax as lx
    import optimistix as optx
    t = jnp.linspace(0, 1, 30)
    fit = optx.least_squares(lambda p, _: p[0] * jnp.exp(-p[1] * t) - 2 * jnp.exp(-3 * t), optx.LevenbergMarquardt(1e-6, 1e-6), jnp.ones(2))
    a = numbers(0, 6, 6)
    m, b = a @ a.T + 3 * jnp.eye(6), jnp.arange(6.0)
    solved = [lx.linear_solve(lx.MatrixLinearOperator(m), b, s).value for s in (lx.QR(), lx.SVD(), lx.LU(), lx.GMRES(1e-6, 1e-6))]
    return fit.value, solved


@case
def jaxopt_minima():
    import jaxopt
    from jaxopt.projection import projection_simplex
    a = numbers(0, 20, 5)
    b = a @ jnp.array([0.2, 0.3, 0.1, 0.4, 0.0])
    lbfgs = jaxopt.LBFGS(lambda x: jnp.sum((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2), maxiter=60)
    projected = jaxopt.ProjectedGradient(lambda w: ((a @ w - b) ** 2).sum(), projection_simplex, maxiter=100)
    return lbfgs.run(jnp.zeros(4)).params, projected.run(jnp.ones(5) / 5).params


@case
def ott_transport():
    from ott.geometry import pointcloud
    from ott.solvers import linear
    x, y = numbers(0, 30, 2), numbers(1, 40, 2) + 1
    return jax.jit(jax.value_and_grad(lambda x: linear.solve(pointcloud.PointCloud(x, y, epsilon=0.1)).reg_ot_cost))(x)


# ---- networks ----

@case
def haiku_networks():
    import haiku as hk
    import optax

    def recurrent(x):
        core = hk.LSTM(16)
        y, _ = hk.dynamic_unroll(core, x, core.initial_state(x.shape[1]))
        return hk.BatchApply(hk.Linear(1))(y)

    def image(x):
        x = hk.max_pool(jax.nn.relu(hk.BatchNorm(True, True, 0.9)(hk.Conv2D(8, 3, stride=2)(x), True)), 2, 2, 'SAME')
        return hk.Linear(4)(hk.Flatten()(hk.avg_pool(x, 2, 1, 'VALID')))

    f, x = hk.without_apply_rng(hk.transform(recurrent)), numbers(0, 20, 4, 3)
    losses = trained(lambda p, k: ((f.apply(p, x) - jnp.cumsum(x.sum(-1, keepdims=True), 0)) ** 2).mean(), f.init(jax.random.key(0), x), optax.adam(1e-2))
    g, y = hk.transform_with_state(image), numbers(1, 4, 16, 16, 3)
    p, s = g.init(jax.random.key(0), y)
    return losses, jax.jit(jax.value_and_grad(lambda p: (g.apply(p, s, None, y)[0] ** 2).mean()))(p)[0]


@case
def flax_vision_transformer():
    import flax.linen as nn
    import optax

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            y = nn.LayerNorm()(x)
            x = x + nn.Dropout(0.1, deterministic=False)(nn.MultiHeadDotProductAttention(4)(y, y))
            return x + nn.Dense(32)(nn.gelu(nn.Dense(64)(nn.LayerNorm()(x))))

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.Conv(32, (4, 4), strides=4)(x).reshape(x.shape[0], -1, 32)
            for _ in range(2):
                x = Block()(x)
            return nn.Dense(10)(x.mean(1))

    model, x, y = Model(), numbers(0, 8, 16, 16, 3), jnp.arange(8)
    start = model.init({'params': jax.random.key(0), 'dropout': jax.random.key(1)}, x)
    return trained(lambda p, k: optax.softmax_cross_entropy_with_integer_labels(model.apply(p, x, rngs={'dropout': k}), y).mean(), start, optax.adamw(1e-3))


@case
def equinox_network():
    import equinox as eqx
    import optax
    keys = jax.random.split(jax.random.key(0), 2)
    model = eqx.nn.Sequential([eqx.nn.Conv2d(1, 3, 3, key=keys[0]), eqx.nn.MaxPool2d(2, 2), eqx.nn.Lambda(jnp.ravel), eqx.nn.Linear(108, 10, key=keys[1])])
    arrays, rest = eqx.partition(model, eqx.is_array)
    x = numbers(0, 4, 1, 14, 14)
    return trained(lambda p, k: (jax.vmap(eqx.combine(p, rest))(x) ** 2).mean(), arrays, optax.sgd(0.1))


@case
def jraph_networks():
    import jraph
    senders, receivers = (jnp.asarray(np.random.default_rng(i).integers(0, 10, 20)) for i in (0, 1))
    graph = jraph.GraphsTuple(nodes=numbers(2, 10, 4), edges=numbers(3, 20, 3), senders=senders, receivers=receivers, n_node=jnp.array([6, 4]),
                              n_edge=jnp.array([12, 8]), globals=jnp.zeros((2, 2)))
    w, u, v = numbers(4, 13, 3), numbers(5, 12, 4), numbers(6, 9, 2)
    net = jraph.GraphNetwork(lambda e, s, r, g: jnp.tanh(jnp.concatenate([s, r, e, g], -1) @ w),
                             lambda n, s, r, g: jnp.tanh(jnp.concatenate([n, s, r, g], -1) @ u), lambda n, e, g: jnp.concatenate([n, e, g], -1) @ v)
    loss = jax.jit(jax.value_and_grad(lambda x: (net(graph._replace(nodes=x)).nodes ** 2).sum()))
    return loss(graph.nodes), jraph.segment_softmax(graph.edges[:, 0], receivers, 10), jraph.segment_variance(graph.edges[:, 0], receivers, 10)


@case
def optax_optimizers():
    import optax
    x = numbers(0, 16, 6)
    start = {'w': numbers(1, 6, 4), 'b': jnp.zeros(4)}

    def loss(p, key):
        return ((x @ p['w'] + p['b'] - x @ jnp.ones((6, 4))) ** 2).mean()

    makers = [optax.adafactor(1e-2), optax.lion(1e-3), optax.lamb(1e-2), optax.rmsprop(1e-2, momentum=0.9), optax.adabelief(1e-2), optax.novograd(1e-2),
              optax.sm3(1e-2), optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(optax.cosine_decay_schedule(0.1, 10))),
              optax.MultiSteps(optax.adam(1e-2), 3), optax.contrib.muon(1e-2), optax.contrib.prodigy()]
    logits, labels = numbers(2, 3, 20, 7), jnp.asarray(np.random.default_rng(3).integers(1, 7, (3, 6)))
    ctc = jax.jit(jax.value_and_grad(lambda l: optax.ctc_loss(l, jnp.zeros((3, 20)), labels, jnp.zeros((3, 6))).sum()))
    return [trained(loss, start, o, 6) for o in makers], ctc(logits)


# ---- searches and games ----

@case
def mctx_search():
    import mctx

    def recurrent(_, key, action, state):
        return mctx.RecurrentFnOutput(reward=jnp.sin(action.astype(jnp.float32)), discount=jnp.full(action.shape, 0.9),
                                      prior_logits=jnp.cos(state)[:, None] * jnp.arange(4.0), value=state * 0.1), state + action * 0.1

    root = mctx.RootFnOutput(prior_logits=numbers(0, 3, 4), value=jnp.zeros(3), embedding=jnp.arange(3.0))
    out = jax.jit(lambda r: mctx.gumbel_muzero_policy((), jax.random.PRNGKey(0), r, recurrent, num_simulations=16, max_depth=5))(root)
    return out.action, out.action_weights


@case
def pgx_games():
    import pgx
    out = []
    for name in ('connect_four', 'go_9x9', 'othello'):
        game = pgx.make(name)
        state, step = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.PRNGKey(0), 4)), jax.jit(jax.vmap(game.step))
        for i in range(5):
            draw = jax.random.uniform(jax.random.PRNGKey(i), state.legal_action_mask.shape)
            state = step(state, jnp.argmax(jnp.where(state.legal_action_mask, draw, -1.0), -1))
        out += [state.observation, state.rewards, state.terminated]
    return out


# ---- physics, neurons, splines ----

@case
def e3nn_tensor_products():
    import e3nn_jax as e3nn
    a = e3nn.IrrepsArray('4x0e+3x1o+2x2e', numbers(0, 5, 23))
    vectors = numbers(1, 5, 3)

    def message(v):
        sh = e3nn.spherical_harmonics('0e+1o+2e+3o', v, normalize=True)
        return e3nn.tensor_product(a, sh, filter_ir_out='0e+1o+2e').array

    rotated = jax.jit(lambda x: x.transform_by_angles(0.3, 0.5, -0.2).array)(a)
    return jax.jit(message)(vectors), jax.jit(jax.grad(lambda v: (message(v) ** 2).sum()))(vectors), rotated


@case
def jaxley_neurons():
    import jaxley as jx
    from jaxley.channels import HH
    cell = jx.Cell([jx.Branch(jx.Compartment(), ncomp=2)] * 3, parents=[-1, 0, 0])
    cell.insert(HH())
    cell.branch(0).loc(0.0).stimulate(jx.step_current(i_delay=0.2, i_dur=0.5, i_amp=0.1, delta_t=0.025, t_max=1.0), verbose=False)
    cell.branch(1).loc(0.5).record('v', verbose=False)
    cell.make_trainable('radius', verbose=False)
    parameters = cell.get_parameters()
    simulate = jax.jit(lambda p: jx.integrate(cell, params=p))
    return simulate(parameters), jax.jit(jax.grad(lambda p: (jx.integrate(cell, params=p) ** 2).mean()))(parameters)


@case
def interpax_splines():
    import interpax
    x, q = jnp.linspace(0, 4, 20), jnp.linspace(0.1, 3.9, 56)
    f, g = jnp.sin(x), numbers(0, 20, 20)
    lines = [interpax.interp1d(q, x, f, method=m) for m in ('nearest', 'linear', 'cubic', 'cubic2', 'cardinal', 'monotonic', 'akima')]
    planes = [interpax.interp2d(q, q[::-1], x, x, g, method=m) for m in ('nearest', 'linear', 'cubic')]
    return lines, planes, jax.grad(lambda f: interpax.interp1d(q, x, f, method='cubic2').sum())(f), interpax.PchipInterpolator(x, f)(q)


# ---- inference ----

@case
def flowjax_flows():
    import equinox as eqx
    from flowjax.bijections import RationalQuadraticSpline
    from flowjax.distributions import Normal
    from flowjax.flows import coupling_flow, masked_autoregressive_flow
    import paramax
    x, out = numbers(0, 32, 3), []
    for make in (coupling_flow, masked_autoregressive_flow):
        flow = make(jax.random.key(0), base_dist=Normal(jnp.zeros(3)), transformer=RationalQuadraticSpline(knots=5, interval=4), flow_layers=2)
        p, s = eqx.partition(flow, eqx.is_inexact_array, is_leaf=lambda v: isinstance(v, paramax.NonTrainable))
        loss = jax.jit(jax.value_and_grad(lambda p: -paramax.unwrap(eqx.combine(p, s)).log_prob(x).mean()))
        out.append([v for v in jax.tree.leaves(loss(p))])
        out.append(flow.sample(jax.random.key(1), (4,)))
    return out


@case
def gpjax_regression():
    import gpjax as gpx
    x = jnp.linspace(-3, 3, 30).reshape(-1, 1)
    data = gpx.Dataset(x, jnp.sin(x) + 0.1 * numbers(0, 30, 1))
    prior = gpx.gps.Prior(mean_function=gpx.mean_functions.Zero(), kernel=gpx.kernels.Matern52() * gpx.kernels.RBF())
    posterior = prior * gpx.likelihoods.Gaussian()
    predicted = posterior.predict(jnp.linspace(-4, 4, 11).reshape(-1, 1), train_data=data)
    return gpx.objectives.conjugate_mll(posterior, data), predicted.mean, jnp.diag(predicted.covariance())


@case
def evosax_strategies():
    from evosax.algorithms import CMA_ES, Open_ES, SNES
    out = []
    for strategy in (CMA_ES, SNES, Open_ES):
        es = strategy(population_size=16, solution=jnp.zeros(5))
        params, key = es.default_params, jax.random.PRNGKey(0)
        state = jax.jit(es.init)(key, jnp.ones(5), params)
        ask, tell = jax.jit(es.ask), jax.jit(es.tell)
        for i in range(4):
            population, state = ask(jax.random.fold_in(key, i), state, params)
            state, _ = tell(jax.random.fold_in(key, 100 + i), population, (population ** 2).sum(-1), state, params)
        out.append(state.best_fitness)
    return out


# ---- images and Keras ----

@case
def scico_deblurring():
    from scico import functional, linop, loss, optimize
    image = jnp.asarray(np.random.default_rng(0).uniform(size=(24, 24)), jnp.float32)
    blur = linop.CircularConvolve(jnp.ones((3, 3), jnp.float32) / 9, input_shape=image.shape)
    solver = optimize.ADMM(f=loss.SquaredL2Loss(y=blur(image), A=blur), g_list=[0.01 * functional.L21Norm()],
                           C_list=[linop.FiniteDifference(input_shape=image.shape, circular=True)], rho_list=[0.1], x0=image * 0, maxiter=5,
                           subproblem_solver=optimize.admm.CircularConvolveSolver())
    return solver.solve(), linop.DFT(image.shape)(image)


@case
def keras_networks():
    os.environ['KERAS_BACKEND'] = 'jax'
    import keras
    keras.utils.set_random_seed(0)
    net = keras.Sequential([keras.layers.Input((12, 12, 3)), keras.layers.Conv2D(8, 3, activation='relu'), keras.layers.BatchNormalization(),
                            keras.layers.MaxPooling2D(), keras.layers.SeparableConv2D(12, 3), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(4)])
    net.compile(optimizer=keras.optimizers.Adam(1e-2), loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
    x, y = np.random.default_rng(0).standard_normal((32, 12, 12, 3)).astype('f4'), np.random.default_rng(1).integers(0, 4, 32)
    fit = net.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0)
    words = keras.Sequential([keras.layers.Embedding(50, 8), keras.layers.Bidirectional(keras.layers.GRU(6, return_sequences=True)),
                              keras.layers.LayerNormalization(), keras.layers.LSTM(5)])
    return jnp.asarray(fit.history['loss']), net.predict(x, verbose=0), words.predict(np.arange(20).reshape(2, 10), verbose=0)


# ---- games ----

@case
def jumanji_environments():
    import jumanji
    out = []
    for name in ('Snake-v1', 'Game2048-v1', 'RubiksCube-partly-scrambled-v0', 'TSP-v1', 'Maze-v0', 'Sudoku-v0'):
        env = jumanji.make(name)
        state, timestep = jax.jit(env.reset)(jax.random.PRNGKey(1))
        step = jax.jit(env.step)
        for _ in range(3):
            state, timestep = step(state, env.action_spec.generate_value())
        out += [timestep.observation, timestep.reward]
    return out


@case
def gymnax_environments():
    import gymnax
    out = []
    for name in ('CartPole-v1', 'Pendulum-v1', 'Breakout-MinAtar', 'Catch-bsuite', 'Acrobot-v1'):
        env, params = gymnax.make(name)
        observation, state = jax.jit(env.reset)(jax.random.PRNGKey(0), params)
        step = jax.jit(env.step)
        for i in range(4):
            observation, state, reward, done, *_ = step(jax.random.PRNGKey(i), state, env.action_space(params).sample(jax.random.PRNGKey(9)), params)
        out += [observation, reward, done]
    return out


def compare(got, want, rtol):
    got, want = ([np.asarray(x) for x in jax.tree.leaves(v)] for v in (got, want))
    assert len(got) == len(want) and got
    for i, (g, w) in enumerate(zip(got, want)):
        assert g.shape == w.shape and g.dtype == w.dtype, 'result %d is %s %s, on cpu %s %s' % (i, g.dtype, g.shape, w.dtype, w.shape)
        if g.dtype.kind not in 'fc':
            assert np.array_equal(g, w), 'result %d differs' % i
            continue
        np.testing.assert_allclose(g, w, rtol=rtol, atol=rtol * max(float(np.max(np.abs(w), initial=0, where=np.isfinite(w))), 1e-30), err_msg='result %d' % i)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('cases', nargs='*', metavar='CASE')
    p.add_argument('--rtol', type=float, default=2e-3)
    options = p.parse_args()
    unknown = [c for c in options.cases if c not in CASES]
    if unknown:
        p.error('there is no case %s; there are %s' % (', '.join(unknown), ', '.join(CASES)))
    failed = 0
    for name in options.cases or CASES:
        results = []
        try:
            for platform in ('weft', 'cpu'):
                with jax.default_device(jax.devices(platform)[0]):
                    results.append(jax.device_get(CASES[name]()))
            compare(*results, options.rtol)
            print('passed', name, flush=True)
        except ImportError as e:
            print('skipped', name, '(%s)' % e, flush=True)
        except Exception as e:
            failed += 1
            print('failed', name, '%s: %s' % (type(e).__name__, str(e)[:2000]), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
