/** Below it the pages of sections and operations are, by their names. */
export const REFERENCE_PATH = '/docs/api'
