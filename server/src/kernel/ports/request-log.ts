/** Requests of this process that have not been written to the request log yet. */
export interface WaitingRequests {
  /** Writes the queued requests. */
  flush(): Promise<void>
  /** The number of requests dropped since the process started. */
  readonly dropped: number
}
