/** Parent path of section and operation pages. */
export const REFERENCE_PATH = '/docs/api'
