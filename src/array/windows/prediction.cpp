// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/prediction.hpp"

#include <bit>
#include <utility>

namespace gpuarray::ops {
namespace {

uint64_t mixed(uint64_t history, uint64_t operation) {
  history = (history ^ operation) * 0x9e3779b97f4a7c15u;
  return history ^ history >> 29;
}

}  // namespace

void Plan::add(ReadyFlag is_compiled, double saved) {
  --awaited_;
  saved_ += saved;
  add_other(std::move(is_compiled));
}

void Plan::add_other(ReadyFlag is_compiled) {
  fails_ = fails_ || is_compiled == nullptr || ++groups_ > kMost;
  if (is_compiled != nullptr && !*is_compiled) missing_.push_back(std::move(is_compiled));
}

void Prediction::count(uint8_t& seen, uint8_t& other) {
  if (seen < kMost)
    ++seen;
  else if (other > 0)
    --other;
}

Prediction::Node& Prediction::find() {
  const auto tag = static_cast<uint32_t>(history_ >> 32);
  Node* least = nullptr;
  for (int i = 0; i < kPlaces; ++i) {
    Node& node = nodes_[history_ % kNodes + static_cast<uint64_t>(i)];
    if (node.tag == tag) return node;
    if (least == nullptr || node.followed + node.ended < least->followed + least->ended)
      least = &node;
  }
  *least = {};
  least->tag = tag;
  return *least;
}

Prediction::Next Prediction::add(uint64_t operation, uint64_t wiring) {
  const uint64_t key = operation + wiring * 0xff51afd7ed558ccdu;
  is_at_begin_ = last_ == nullptr;
  is_anew_ = !is_at_begin_ && operation == first_ && key == loop_;
  if (last_ != nullptr) count(last_->followed, last_->ended);
  if (is_at_begin_) {
    first_ = operation;
    history_ = loop_ = length_ = pass_ = pass_before_ = 0;
    other_ = most_other_ = 0;
  } else if (is_anew_) {
    history_ = pass_ ^ std::rotl(pass_before_, 32);
    pass_before_ = std::exchange(pass_, 0);
    other_ = 0;
  } else if (operation == first_ && ++other_ > most_other_) {
    loop_ = key;
    pass_before_ = std::exchange(pass_, 0);
    other_ = 0;
    most_other_ = 2 * most_other_ + 1;
  }
  pass_ = mixed(pass_, operation);
  if (is_anew_ && ++length_ > kLongLoop) {
    is_at_begin_ = true;
    length_ = 0;
  }
  history_ = mixed(history_, key);
  last_ = &find();
  if (is_at_begin_) first_node_ = last_;
  if (last_->followed == 0 && last_->ended == 0) return Next::unknown;
  return has_ended() ? Next::nothing : Next::another;
}

void Prediction::end() {
  if (last_ != nullptr) count(last_->ended, last_->followed);
  last_ = nullptr;
}

void Prediction::restart() {
  count(last_->followed, last_->ended);
  last_ = nullptr;
}

void Prediction::forget() {
  end();
  for (Node& node : nodes_) node = {};
}

}  // namespace gpuarray::ops
