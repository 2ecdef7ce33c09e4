try:
    from scipy.special import erf, erfc
except ImportError:
    erf = np.vectorize(math.erf, otypes=[np.float64])
    erfc = np.vectorize(math.erfc, otypes=[np.float64])
