/** The dated version in the base address (specification 9). */
export const BASE_PATH = '/2025-10-13'
