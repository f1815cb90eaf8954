/** Base path of the section and operation pages. */
export const REFERENCE_PATH = '/docs/api'
