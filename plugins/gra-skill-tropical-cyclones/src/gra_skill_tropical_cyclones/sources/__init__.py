"""Sources of the skill: IBTrACS files, NHC's current storms, Weather Lab's track forecasts."""
