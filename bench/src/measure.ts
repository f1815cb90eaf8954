import { type Connection, drive } from './connections.ts'
import { postgresTime, processorTime } from './server-process.ts'

/** What one part of one round came to; processor times are per piece of work. */
export interface Figure {
  readonly perSecond: number
  /** Of the process that answered: its main thread, and its others. */
  readonly mainUs: number
  readonly othersUs: number
  /** Of the PostgreSQL that this program started; 0 where it started none. */
  readonly postgresUs: number
}

/** A process, and the connections to it. */
export interface Target {
  readonly pid: number
  readonly connections: readonly Connection[]
}

/** Drives the connections until it is over, or there is nothing more to do. */
export async function measure(
  { pid, connections }: Target,
  isOver: () => boolean,
  work: (connection: Connection) => Promise<boolean>,
): Promise<Figure> {
  const [before, postgresBefore] = [processorTime(pid), postgresTime()]
  const { done, seconds } = await drive(connections, isOver, work)
  const spent = processorTime(pid)
  return {
    perSecond: done / seconds,
    mainUs: (spent.main - before.main) / done,
    othersUs: (spent.others - before.others) / done,
    postgresUs: (postgresTime() - postgresBefore) / done,
  }
}

/** The figure of work that this program does by itself, on one core. */
export function oneCore(perSecond: number): Figure {
  return { perSecond, mainUs: 1e6 / perSecond, othersUs: 0, postgresUs: 0 }
}
