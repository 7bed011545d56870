// What the methods for programs take. Types only: a program compiles against them.
import type { Remove } from './changes/ensure/removals'
import type { Target } from './changes/find'
import type { Waiting } from './changes/step'
import type { UpdateMode } from './model/check'
import type { EnsureState } from './model/definition'
import type { Language } from './model/watch'

export interface CallOptions {
  /**
   * Ends the call, which rejects with the code `CLOSED`. A change that is already on its way is not
   * undone; `cause.applied` is then `maybe`.
   */
  signal?: AbortSignal
}

export interface DeviceOptions extends CallOptions {
  /** By default the appliance's only device. */
  deviceId?: string
}

export interface ListOptions extends DeviceOptions {
  /** From 1. With `page` or `pageSize` exactly that page is read, otherwise all routes. */
  page?: number
  /** Routes on each page. */
  pageSize?: number
}

export interface HealthOptions extends ListOptions {
  /** The language of `text`; default `en-US`. */
  language?: Language
}

export interface DefinitionsOptions extends DeviceOptions {
  /**
   * What stands for a secret. `hidden` (default): {@link HIDDEN}. `names`: the name of an
   * environment variable, such as `${SRT_STUDIO_A_SOURCE}`; this client does not replace it.
   */
  secrets?: 'hidden' | 'names'
  /** With which these names begin; default `SRT_`. */
  prefix?: string
}

/** Confirms what would be refused. */
export interface ConfirmOptions {
  /** The exact name of each route of `protectedRoutes` that is changed, stopped or deleted. */
  confirmProtected?: string | readonly string[]
  /** Outputs that other routes share may be removed or changed, by update, delete and ensure. */
  confirmShared?: boolean
}

/** How long to wait for a change. */
export interface ChangeOptions extends DeviceOptions {
  /** `accepted` (default): until the response, which says queued, not done. `applied`: until it shows. */
  waitFor?: Waiting['waitFor']
  /** Milliseconds, for `applied`; default 30000. */
  waitTimeout?: number
}

export interface CreateOptions extends ChangeOptions {
  /** Start the route, where the definition has no `startRoute`; default false. */
  startRoute?: boolean
  /** Check source and destinations before anything is sent; default true. */
  validate?: boolean
}

export interface UpdateOptions extends ChangeOptions, ConfirmOptions {
  /**
   * What leaving something out of the patch means. `merge` (default): it stays as it is, at every
   * depth. `keep`: of name, source and destinations, what is left out stays; a list of destinations
   * is the whole list. `replace`: as `keep`, and without destinations all of them are removed.
   */
  mode?: UpdateMode
  /** Check source and destinations before anything is sent; default true. */
  validate?: boolean
}

export interface DeleteOptions extends ChangeOptions, ConfirmOptions {}

/** A start needs no confirmation. */
export interface ControlOptions extends ChangeOptions, ConfirmOptions {
  /** The destination to act on; by default the route itself. */
  destination?: Target
}

export interface EnsureOptions extends DeviceOptions, ConfirmOptions {
  /** Default `present`: the route exists, running or not. `row`: the `state` of each definition. */
  state?: EnsureState
  /** Plan only: nothing is written. Default false. */
  check?: boolean
  /** Remove destinations that the definition does not mention; default false. */
  exact?: boolean
  /**
   * Delete routes whose names fit the pattern and that the array does not have, no more than
   * `atMost`, and none that is on the air. Only with `plan`, `check` or `planId`.
   */
  remove?: Remove
  /** The `id` of a plan: exactly that plan is applied, or nothing. */
  planId?: string
  /** Check source and destinations before anything is sent; default true. */
  validate?: boolean
  /** Milliseconds for each step to show; default 30000. */
  waitTimeout?: number
}

export interface UndoOptions extends CallOptions, ConfirmOptions {
  /** Plan only: nothing is written. Default false. */
  check?: boolean
  /** Milliseconds for each step to show; default 30000. */
  waitTimeout?: number
}

export interface ImportOptions extends DeviceOptions, ConfirmOptions {}

export interface StatisticsOptions extends DeviceOptions {
  /** Only those of the route's source. */
  source?: boolean
  /** Only those of this destination. */
  destination?: Target
  /** Only those of this client of the destination. With several connections, its port is needed. */
  client?: { address: string; port?: number }
}
