import manifest from '../../../package.json' with { type: 'json' }

/** The version of this server, not of its interface. */
export const VERSION: string = manifest.version
