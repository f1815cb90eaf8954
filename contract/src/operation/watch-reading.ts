import { Type } from 'typebox'
import { OneOfWords, Text } from '../core/schema.ts'
import { WATCH_NAMES } from './watches.ts'

/** A monitored value and its limit. */
export const WatchReading = Type.Object({
  watch: OneOfWords(WATCH_NAMES),
  subject: Text(80, { description: 'The rail, account, currency or worker' }),
  unit: Text(12, { description: 'Code of a currency or a coin, or s for seconds' }),
  value: Text(80, { description: 'A decimal number of units' }),
  limit: Text(80, { description: 'A decimal number of units' }),
  isCrossed: Type.Boolean({ description: 'True if it needs attention' }),
})
