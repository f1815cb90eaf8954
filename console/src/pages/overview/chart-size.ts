/** The height of a chart, of its skeleton, and of what stands in its place. */
export const CHART_PIXELS = 220
