// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/prediction.hpp"

namespace gpuarray::ops {

void Prediction::count(uint8_t& seen, uint8_t& other) {
  if (seen < kMost)
    ++seen;
  else if (other > 0)
    --other;
}

Prediction::State& Prediction::find() {
  const auto tag = static_cast<uint32_t>(history_ >> 32);
  State* least = nullptr;
  for (int i = 0; i < kPlaces; ++i) {
    State& state = states_[history_ % kStates + static_cast<uint64_t>(i)];
    if (state.tag == tag) return state;
    if (least == nullptr || state.followed + state.ended < least->followed + least->ended)
      least = &state;
  }
  return *least = {tag, 0, 0, kUnknown};
}

Prediction::Next Prediction::add(uint64_t operation) {
  if (last_ != nullptr) count(last_->followed, last_->ended);
  if (last_ == nullptr || operation == first_) {
    first_ = operation;
    history_ = 0;
  }
  history_ = (history_ ^ operation) * 0x9e3779b97f4a7c15u;
  history_ ^= history_ >> 29;
  State& state = find();
  last_ = &state;
  if (state.followed == 0 && state.ended == 0) return Next::unknown;
  return state.followed >= state.ended ? Next::another : Next::nothing;
}

void Prediction::end() {
  if (last_ != nullptr) count(last_->ended, last_->followed);
  last_ = nullptr;
}

}  // namespace gpuarray::ops
