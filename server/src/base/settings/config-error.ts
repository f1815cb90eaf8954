/** A setting that cannot be used. `message` is one line that names the variable. */
export class ConfigError extends Error {}
