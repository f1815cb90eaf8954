/** The API's dated version, the last segment of its base address (specification 9). */
export const API_VERSION = '2025-10-13'

/** The version of the API's description (specification 9). */
export const DESCRIPTION_VERSION = '2026-06-25'
