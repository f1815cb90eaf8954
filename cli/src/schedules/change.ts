import { printList, printResult, type Shell } from '../connection/shell.ts'
import { formatOccurrence, formatSchedule } from './words.ts'

/** `countersign schedules pause|resume|cancel` */
export async function changeSchedule(
  shell: Shell,
  id: string,
  action: 'pause' | 'resume' | 'cancel',
): Promise<void> {
  const schedule = await shell.countersign.paymentSchedules[action](id)
  printResult(shell, schedule, formatSchedule(schedule))
}

/** `countersign schedules skip` */
export async function skipPayment(shell: Shell, id: string, date: string | undefined): Promise<void> {
  const body = date === undefined ? {} : { date }
  const schedule = await shell.countersign.paymentSchedules.skip(id, body)
  printResult(shell, schedule, formatSchedule(schedule))
}

/** `countersign schedules payments` */
export async function listOccurrences(shell: Shell, id: string): Promise<void> {
  const list = shell.countersign.paymentSchedules.occurrences(id)
  await printList(shell, list, (payments) => payments.map(formatOccurrence), 'No payments yet.')
}
