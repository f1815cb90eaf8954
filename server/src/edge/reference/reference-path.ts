/** Parent path of the pages of sections and operations. */
export const REFERENCE_PATH = '/docs/api'
