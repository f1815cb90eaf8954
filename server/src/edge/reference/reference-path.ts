/** The path below which section and operation pages are. */
export const REFERENCE_PATH = '/docs/api'
