/** Thrown for an invalid setting. `message` is one line that names the variable. */
export class ConfigError extends Error {}
