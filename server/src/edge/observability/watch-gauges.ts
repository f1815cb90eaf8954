import { buildTable } from '@countersign/contract/core/objects'
import { WATCH_NAMES, WATCHES, watchMetric } from '@countersign/contract/operation/watches'
import { Gauge, type Registry } from 'prom-client'
import type { Metrics } from '../../kernel/ports/metrics.ts'

/**
 * Creates two gauges for each monitored value: the value and its limit. Returns a function that sets them, or
 * removes them if the database is unavailable. Rails and workers are few, and marks per platform are limited.
 */
export function createWatchGauges(registry: Registry): Metrics['setWatched'] {
  const gauges = buildTable(WATCH_NAMES, (watch) => {
    const name = watchMetric(watch)
    const { help } = WATCHES[watch]
    const labels = { labelNames: ['platform', 'subject', 'unit'] as const, registers: [registry] }
    return {
      value: new Gauge({ name, help: `${help}.`, ...labels }),
      limit: new Gauge({ name: `${name}_limit`, help: `${help}: the configured limit.`, ...labels }),
    }
  })
  return (readings) => {
    for (const watch of WATCH_NAMES) {
      gauges[watch].value.reset()
      gauges[watch].limit.reset()
    }
    for (const { watch, platform, subject, unit, value, limit } of readings ?? []) {
      gauges[watch].value.set({ platform, subject, unit }, value)
      gauges[watch].limit.set({ platform, subject, unit }, limit)
    }
  }
}
