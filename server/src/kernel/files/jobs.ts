import { STORED_FILE_TRANSITIONS } from '../../storage/rows/states.ts'
import type { JobHandler } from '../outbox/job-kinds.ts'
import { job } from '../outbox/jobs.ts'
import { selectAnyStoredFile, selectPresentFiles } from './store.ts'
import { buildLaterRemoval, buildRemoval } from './stored-files.ts'

/**
 * Deletes the bytes of a file that no record refers to. A staged file is abandoned first, in its own commit,
 * after which no record can keep it. Kept files are skipped: removing them schedules this job again.
 */
export const removeStoredFile: JobHandler<'stored-file.remove'> = async (op, { fileId }) => {
  const row = await selectAnyStoredFile(op, fileId)
  if (!row) return []
  if (row.state === STORED_FILE_TRANSITIONS.STAGED.keep) return []
  if (STORED_FILE_TRANSITIONS[row.state].remove !== null)
    return [...buildRemoval(op, row), buildLaterRemoval(op, fileId)]
  await op.fileStore.remove(fileId)
  return []
}

const AT_ONCE_MAX = 100

/**
 * Deletes the files of a platform that was reset, a few at a time, because the platform's own jobs no longer
 * run.
 */
export const clearStoredFiles: JobHandler<'stored-files.clear'> = async (op, { platformId }) => {
  const rows = await selectPresentFiles(op, platformId, AT_ONCE_MAX)
  const isMore = rows.length === AT_ONCE_MAX
  return [
    ...rows.flatMap((row) => buildRemoval(op, row)),
    ...(isMore ? [job(op, 'stored-files.clear', { platformId }, op.now)] : []),
  ]
}
