# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Libraries that take arrays of any namespace work with GPUArrays: what they compute is NumPy's.

Nothing is told to them of gpuarray; scikit-learn and SciPy are asked to look at namespaces.
"""

import importlib
import os
import warnings

import numpy as np
import pytest
from _support import words
from _support.compare import host

import gpuarray

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when SciPy is imported


def module(name):
    return pytest.importorskip(name, reason=f"{name} is not installed")


def scipy(name):
    if not module("scipy._lib._array_api").SCIPY_ARRAY_API:
        pytest.skip("SciPy was imported without SCIPY_ARRAY_API=1")
    return importlib.import_module(f"scipy.{name}")


@pytest.fixture
def sklearn():
    library = module("sklearn")
    scipy("special")
    with warnings.catch_warnings(), library.config_context(array_api_dispatch=True):
        warnings.simplefilter("ignore")
        yield library


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for one in value for leaf in leaves(one)]
    return [value]


def compare(got, expected, device, arrays=True):
    got, expected = leaves(got), leaves(expected)
    assert len(got) == len(expected)
    for one, wanted in zip(got, expected, strict=True):
        if arrays and isinstance(wanted, np.ndarray):
            assert isinstance(one, gpuarray.GPUArray)
            assert one.device == device
        np.testing.assert_allclose(host(one), wanted, rtol=1e-6, atol=1e-7)


def both(device, function, *arrays):
    """`function` gives of GPUArrays what it gives of NumPy's arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*arrays)
        made = [gpuarray.to_device(a) if isinstance(a, np.ndarray) else a for a in arrays]
        compare(function(*made), expected, device)


RANDOM = np.random.default_rng(7)
X = RANDOM.normal(size=(40, 5))
CLASSES = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
GUESSED = np.where(np.arange(40) % 7 == 0, 1 - CLASSES, CLASSES)
SHARES = RANDOM.random(40)
POSITIVE = np.abs(X @ np.arange(5.0)) + 1
NEARLY = POSITIVE * 1.1 + SHARES


TRANSFORMERS = {
    "StandardScaler": {},
    "MinMaxScaler": {},
    "MaxAbsScaler": {},
    "Normalizer": {"norm": "l1"},
    "Binarizer": {},
    "PolynomialFeatures": {"degree": 3},
}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_sklearn_transformers(device, sklearn, name):
    kind = getattr(module("sklearn.preprocessing"), name)

    def transformed(x):
        return kind(**TRANSFORMERS[name]).fit(x).transform(x)

    both(device, transformed, X)


@pytest.mark.parametrize("name", ["linear_model.LogisticRegression", "naive_bayes.GaussianNB"])
def test_sklearn_classifiers(device, sklearn, name):
    folder, _, kind = name.partition(".")
    library = module(f"sklearn.{folder}")

    def predicted(x, y):
        made = getattr(library, kind)().fit(x, y)
        return made.predict(x), made.predict_proba(x)

    both(device, predicted, X.astype(np.float64), CLASSES)


def test_sklearn_labels_and_splits(device, sklearn):
    preprocessing = module("sklearn.preprocessing")
    selection = module("sklearn.model_selection")
    both(device, lambda y: preprocessing.LabelEncoder().fit_transform(y), CLASSES + 3)
    both(device, lambda y: preprocessing.LabelBinarizer().fit_transform(y), CLASSES + 3)
    both(device, lambda x, y: selection.train_test_split(x, y, random_state=0), X, CLASSES)


OF_CLASSES = words(
    "accuracy_score zero_one_loss f1_score precision_score recall_score jaccard_score "
    "hamming_loss confusion_matrix matthews_corrcoef multilabel_confusion_matrix"
)
OF_SHARES = words(
    "brier_score_loss log_loss average_precision_score precision_recall_curve det_curve "
    "roc_curve roc_auc_score"
)
OF_NUMBERS = words(
    "mean_squared_error r2_score mean_absolute_error mean_absolute_percentage_error max_error "
    "explained_variance_score mean_squared_log_error root_mean_squared_error "
    "mean_tweedie_deviance mean_poisson_deviance mean_gamma_deviance d2_tweedie_score "
    "mean_pinball_loss median_absolute_error"
)


@pytest.mark.parametrize("name", [*OF_CLASSES, *OF_SHARES, *OF_NUMBERS])
def test_sklearn_metrics(device, sklearn, name):
    function = getattr(module("sklearn.metrics"), name)
    if name in OF_NUMBERS:
        both(device, function, POSITIVE, NEARLY)
    else:
        both(device, function, CLASSES, GUESSED if name in OF_CLASSES else SHARES)


@pytest.mark.parametrize(
    "name",
    words(
        "cosine_similarity cosine_distances euclidean_distances additive_chi2_kernel chi2_kernel "
        "linear_kernel polynomial_kernel rbf_kernel sigmoid_kernel laplacian_kernel "
        "manhattan_distances paired_cosine_distances paired_euclidean_distances"
    ),
)
def test_sklearn_pairs(device, sklearn, name):
    function = getattr(module("sklearn.metrics.pairwise"), name)
    both(device, function, np.abs(X), np.abs(X[::-1]) + 0.5)


@pytest.mark.parametrize(
    "name",
    words("gammaln erf erfc ndtr ndtri log_ndtr expit logit i0 i1 digamma gamma entr"),
)
def test_scipy_special_functions(device, name):
    both(device, getattr(scipy("special"), name), SHARES * 0.9 + 0.05)


@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_scipy_sums_of_exponentials(device, name):
    both(device, lambda x: getattr(scipy("special"), name)(x, axis=1), X)


@pytest.mark.parametrize("name", ["xlogy", "rel_entr", "chdtr", "gammainc"])
def test_scipy_special_functions_of_two(device, name):
    both(device, getattr(scipy("special"), name), SHARES + 0.1, SHARES[::-1] + 0.2)


@pytest.mark.parametrize(
    "name",
    words(
        "moment skew kurtosis tmean tvar tmin tmax tstd tsem gmean hmean sem zscore entropy "
        "variation iqr circmean circvar circstd kstat kstatvar median_abs_deviation rankdata"
    ),
)
def test_scipy_statistics(device, name):
    both(device, lambda x: getattr(scipy("stats"), name)(x), np.abs(X) + 0.1)


TESTS = words(
    "ttest_ind ttest_rel pearsonr spearmanr mannwhitneyu bartlett levene f_oneway kruskal mood"
)


@pytest.mark.parametrize("name", TESTS)
def test_scipy_tests_of_two_samples(device, name):
    def tested(a, b):
        made = getattr(scipy("stats"), name)(a, b)
        return made.statistic, made.pvalue

    both(device, tested, SHARES, NEARLY)


@pytest.mark.parametrize("name", ["jarque_bera", "normaltest", "skewtest", "wilcoxon"])
def test_scipy_tests_of_a_sample(device, name):
    def tested(a):
        made = getattr(scipy("stats"), name)(a)
        return made.statistic, made.pvalue

    both(device, tested, X[:, 0].copy())


SIGNAL = RANDOM.normal(size=64)
TAPS = RANDOM.normal(size=5)
IMAGE = RANDOM.random((12, 12))


@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve", "oaconvolve", "upfirdn"])
def test_scipy_filters_of_signals(device, name):
    both(device, getattr(scipy("signal"), name), SIGNAL, TAPS)


@pytest.mark.parametrize("name", ["detrend", "hilbert", "wiener", "envelope"])
def test_scipy_signals(device, name):
    both(device, getattr(scipy("signal"), name), SIGNAL)


def test_scipy_resampling_and_recursive_filters(device):
    signal = scipy("signal")
    both(device, lambda x: signal.resample_poly(x, 2, 3), SIGNAL)
    both(device, lambda b, a, x: signal.lfilter(b, a, x), TAPS, np.array([1, 0.5]), SIGNAL)
    both(device, lambda x, k: signal.convolve2d(x, k), IMAGE, IMAGE[:3, :3].copy())


@pytest.mark.parametrize("name", ["sobel", "laplace", "prewitt", "spline_filter"])
def test_scipy_images(device, name):
    both(device, getattr(scipy("ndimage"), name), IMAGE)


def test_scipy_images_with_sizes(device):
    ndimage = scipy("ndimage")
    both(device, lambda x: ndimage.gaussian_filter(x, 1.5), IMAGE)
    both(device, lambda x: ndimage.median_filter(x, 3), IMAGE)
    both(device, lambda x: ndimage.zoom(x, 2.0), IMAGE)


def test_scipy_clusters(device):
    both(device, scipy("cluster.vq").whiten, X)
    both(device, scipy("cluster.vq").vq, X, X[:3].copy())
    both(device, scipy("cluster.hierarchy").linkage, X)


def test_scipy_integrals_and_derivatives(device):
    integrate, differentiate = scipy("integrate"), scipy("differentiate")
    both(device, integrate.trapezoid, SIGNAL)
    both(device, integrate.cumulative_simpson, SIGNAL)
    ends = np.zeros(3), np.array([1.0, 2, 3])
    both(device, lambda a, b: integrate.tanhsinh(lambda x: x * x, a, b).integral, *ends)
    both(device, lambda x: differentiate.derivative(lambda v: v**3, x).df, SHARES)


def test_scipy_roots_and_minima(device):
    optimize = scipy("optimize.elementwise")

    def root(c):
        return optimize.find_root(lambda x, c: x * x - c, (c * 0, c + 1), args=(c,)).x

    both(device, root, np.array([1.0, 2, 3]))
    both(device, scipy("optimize").rosen_hess, X[0].copy())


def test_scipy_rotations(device):
    rotation = scipy("spatial.transform").Rotation
    both(device, lambda q: rotation.from_quat(q).as_matrix(), X[:, :4].copy())


EINOPS = {
    "rearrange": lambda m, x: m.rearrange(x, "(a b) c -> c a b", a=8),
    "reduce": lambda m, x: m.reduce(x, "(a b) c -> a c", "mean", a=8),
    "repeat": lambda m, x: m.repeat(x, "a c -> a b c", b=3),
    "pack": lambda m, x: m.pack([x, x], "* c")[0],
    "unpack": lambda m, x: m.unpack(x, [(20,), (20,)], "* c"),
}


@pytest.mark.parametrize("name", EINOPS)
def test_einops(device, name):
    both(device, lambda x: EINOPS[name](module("einops.array_api"), x), X)


PLACES = np.array([0, 2, 5])
EXTRA = {
    "at set": lambda m, x, k: m.at(x)[k].set(1.0, copy=True),
    "at add": lambda m, x, k: m.at(x)[k].add(2.0, copy=True),
    "at multiply": lambda m, x, k: m.at(x, x > 0).multiply(2.0, copy=True),
    "at min": lambda m, x, k: m.at(x)[1:3].min(0.0, copy=True),
    "angle": lambda m, x, k: m.angle(x + 1j),
    "apply_where": lambda m, x, k: m.apply_where(x > 0, x, lambda v: v * 2, fill_value=0.0),
    "argpartition": lambda m, x, k: x[0][m.argpartition(x[0], 2)][2],
    "atleast_nd": lambda m, x, k: m.atleast_nd(x, ndim=4),
    "cov": lambda m, x, k: m.cov(x),
    "create_diagonal": lambda m, x, k: m.create_diagonal(x[0], offset=1),
    "expand_dims": lambda m, x, k: m.expand_dims(x, axis=(0, 3)),
    "isclose": lambda m, x, k: m.isclose(x, x + 1e-9),
    "isin": lambda m, x, k: m.isin(x, x[0]),
    "kron": lambda m, x, k: m.kron(x, x),
    "lazy_apply": lambda m, x, k: m.lazy_apply(lambda v: v * 2, x),
    "nan_to_num": lambda m, x, k: m.nan_to_num(x / x[0]),
    "nunique": lambda m, x, k: m.nunique(x > 0),
    "one_hot": lambda m, x, k: m.one_hot(k, 7),
    "pad": lambda m, x, k: m.pad(x, 2),
    "partition": lambda m, x, k: m.partition(x[0], 2)[2],
    "searchsorted": lambda m, x, k: m.searchsorted(k, k + 1),
    "setdiff1d": lambda m, x, k: m.setdiff1d(k, k[:2]),
    "sinc": lambda m, x, k: m.sinc(x),
    "union1d": lambda m, x, k: m.union1d(k, k + 1),
}


@pytest.mark.parametrize("name", EXTRA)
def test_array_api_extra(device, name):
    library = module("array_api_extra")
    if not hasattr(library, name.split()[0]):
        pytest.skip(f"this array-api-extra has no {name}")
    both(device, lambda x, k: EXTRA[name](library, x, k), X, PLACES)


def test_array_api_compat(device):
    library = module("array_api_compat")
    x = gpuarray.to_device(X)
    assert library.array_namespace(x, 1.0, None) is gpuarray
    assert library.is_array_api_obj(x)
    assert library.device(x) == x.device
    assert library.size(x) == 200
    assert library.to_device(x, "cpu").device == "cpu"
