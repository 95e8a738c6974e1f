"""Models without a model behind them."""
