import { parentPort } from 'node:worker_threads'
import { getErrorMessage } from '../../base/formats/thrown-errors.ts'
import { type Series, sendSeries } from '../../people/webhooks/request-series.ts'
import type { OutcomeMessage, SeriesMessage } from '../../people/webhooks/series-thread.ts'

/** The program of the thread that sends webhooks (`series-thread.ts`). */

let ended: OutcomeMessage[number][] = []

parentPort?.on('message', (message: SeriesMessage) => {
  for (const [id, series] of message) void sendOne(id, series)
})

async function sendOne(id: number, series: Series): Promise<void> {
  const outcome = await sendSeries(series).catch(getErrorMessage)
  if (ended.length === 0) setImmediate(flush)
  ended.push([id, outcome])
}

/** Posts the outcomes of one turn of the event loop as one message. */
function flush(): void {
  const message: OutcomeMessage = ended
  ended = []
  parentPort?.postMessage(message)
}
